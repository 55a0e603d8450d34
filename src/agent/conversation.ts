import type { ApiMessage } from '../model/model.ts';
import { toApiBlock } from '../sessions/api-blocks.ts';
import type { JsonObject } from '../util/json.ts';
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

/**
 * Adds an answer, without what the API refuses to take back: empty texts, and thoughts that an interrupt has cut off from
 * what they led to. A resume leaves out the same (`sessions/replay`).
 */
export function addAnswer(messages: ApiMessage[], blocks: readonly ContentBlock[]): void {
  const taken = blocks.flatMap((block) => toApiBlock(block as JsonObject, 'assistant') ?? []);
  const content = taken.slice(0, taken.findLastIndex((block) => !THOUGHTS.has(block.type)) + 1);
  if (content.length > 0) messages.push({ role: 'assistant', content });
}

const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);
