import type { ApiMessage } from '../../model/model.ts';
import { toApiBlock } from '../../sessions/replay/api-blocks.ts';
import { userBlocks } from '../../sessions/replay/user-blocks.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { ApiUserMessage } from '../../wire/messages/user.ts';
import { joinedMetadata, type ProviderMetadata } from '../../wire/provider-metadata.ts';

/**
 * The content of a user message as a resume will read it, without blocks that the API would refuse. Empty when nothing
 * is left.
 */
export function userContent(message: ApiUserMessage): readonly ContentBlock[] {
  return userBlocks({ type: 'user', message });
}

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
 * Adds an answer, without blocks that the API refuses: empty texts, and thinking whose answer an interrupt cut off. A
 * resume leaves out the same (`sessions/replay/replay`).
 */
export function addAnswer(messages: ApiMessage[], blocks: readonly ContentBlock[], by: Author): void {
  const taken = blocks.flatMap((block) => toApiBlock(block as JsonObject, 'assistant') ?? []);
  const content = taken.slice(0, taken.findLastIndex((block) => !THOUGHTS.has(block.type)) + 1);
  if (content.length === 0) return;
  const last = messages.at(-1);
  // After a pause the next answer continues this one; the API and a resume treat both as one message.
  if (last?.role === 'assistant') messages[messages.length - 1] = joined(last, content, by);
  else messages.push({ role: 'assistant', content, ...authorship(by) });
}

/** The model that wrote an answer, and what its provider added to it. */
export interface Author {
  model: string;
  metadata?: ProviderMetadata | undefined;
}

function joined(begun: ApiMessage, content: readonly ContentBlock[], { model, metadata }: Author): ApiMessage {
  const before = begun.model === model ? begun : withoutThoughts(begun);
  const both = joinedMetadata(before.providerMetadata, metadata);
  return { role: 'assistant', content: [...before.content, ...content], ...authorship({ model, metadata: both }) };
}

function authorship({ model, metadata }: Author): Pick<ApiMessage, 'model' | 'providerMetadata'> {
  return { model, ...(metadata && { providerMetadata: metadata }) };
}

/** The text of the last answer, without its tool calls. */
export function lastSaid(messages: readonly ApiMessage[]): string {
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const text = answer?.content.findLast((block) => block.type === 'text');
  return text?.type === 'text' ? text.text : '';
}

const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

/**
 * The conversation as a model may see it: the thoughts of other models are left out, because only the model that signed
 * them takes them back. The messages themselves are kept where nothing changes, so that they are serialised once.
 */
export function messagesFor(model: string, messages: readonly ApiMessage[]): readonly ApiMessage[] {
  if (!messages.some((message) => hasForeignThoughts(message, model))) return messages;
  return messages
    .map((message) => (hasForeignThoughts(message, model) ? withoutThoughts(message) : message))
    .filter(({ content }) => content.length > 0);
}

function hasForeignThoughts(message: ApiMessage, model: string): boolean {
  return (
    message.model !== undefined && message.model !== model && message.content.some(({ type }) => THOUGHTS.has(type))
  );
}

function withoutThoughts(message: ApiMessage): ApiMessage {
  return { ...message, content: message.content.filter(({ type }) => !THOUGHTS.has(type)) };
}
