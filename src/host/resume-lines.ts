import { isConversation } from '../sessions/entry-fields.ts';
import type { Entry } from '../wire/entries.ts';
import type { Message } from '../wire/messages/index.ts';
import type { Parts } from './parts.ts';

/** What a resumed session tells before its first turn: what was wrong with its file, and the past, if it was asked for. */
export function* resumeLines(parts: Parts): Generator<Message, void> {
  const { sessionId, runtime, transcript } = parts;
  if (transcript.report) {
    const ids = { session_id: sessionId, uuid: runtime.ids.uuid() };
    yield { type: 'system', subtype: 'resume_report', ...transcript.report, ...ids };
  }
  if (!parts.replayHistory) return;
  for (const entry of transcript.path) if (isConversation(entry)) yield pastLine(entry, sessionId);
}

/** A stored message as the line that it was, with the uuid that it has on disk. */
function pastLine(entry: Entry, sessionId: string): Message {
  const { type, message, uuid, timestamp, isMeta, isCompactSummary, toolUseResult, error, origin } = entry;
  const common = { message, parent_tool_use_id: null, session_id: sessionId, uuid, timestamp };
  if (type === 'assistant') return { type, ...common, ...(error !== undefined && { error }) } as Message;
  const isSynthetic = isMeta === true || isCompactSummary === true;
  return {
    type: 'user',
    ...common,
    isReplay: true,
    ...(isSynthetic && { isSynthetic }),
    ...(origin !== undefined && { origin }),
    ...(toolUseResult !== undefined && { tool_use_result: toolUseResult }),
  } as Message;
}
