import type { ApiMessage } from '../model/model.ts';
import type { ContentBlock } from '../wire/content.ts';

/**
 * Adds what the user says. Directly after another user message (an interrupted or failed turn left it) the two become
 * one, as they will when the session is read from its file: roles alternate, and a request stays a prefix of the next.
 */
export function addUserContent(messages: ApiMessage[], content: readonly ContentBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', content: [...last.content, ...content] };
  else messages.push({ role: 'user', content });
}
