import type { SDKUserMessage } from '../wire/messages/sdk.ts';

/** A prompt as the line that carries it, in the form of the reference. */
export function userMessage(text: string, sessionId = ''): SDKUserMessage {
  return {
    type: 'user',
    session_id: sessionId,
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
}
