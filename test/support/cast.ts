import { type AnswerLike, toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';

/** A request to a scripted model, or to the fake API. */
export type AnyRequest = { messages: readonly Spoken[] } | { body: JsonObject };

interface Spoken {
  role: string;
  content: unknown;
}

/** What a part does at its next turn to speak: an answer, or how to find one. */
export type Line<Request> = AnswerLike | ((request: Request) => AnswerLike | Promise<AnswerLike>);

/**
 * A model that plays several parts: whose turn it is to speak is told by a word in the first message of the conversation,
 * and which of its lines by how often it has spoken. That holds however the requests of agents are interleaved.
 */
export function cast<Request extends AnyRequest>(
  parts: Record<string, readonly Line<Request>[]>,
): (request: Request) => Promise<AnswerLike> {
  return async (request) => {
    const messages = messagesOf(request);
    const first = textsOf(messages[0]?.content).join('\n');
    const name = Object.keys(parts).find((word) => first.includes(word));
    if (name === undefined) throw new Error(`Nobody is addressed in: ${first.slice(0, 200)}`);
    const spoken = messages.filter(({ role }) => role === 'assistant').length;
    const line = parts[name]?.[spoken];
    if (line === undefined) throw new Error(`${name} has nothing to say the ${spoken + 1}. time`);
    return typeof line === 'function' ? line(request) : line;
  };
}

/** A call of the Task tool. */
export function task(prompt: string, more: JsonObject = {}, id?: string) {
  return toolUse('Task', { description: 'some work', prompt, subagent_type: 'general-purpose', ...more }, id);
}

/** The text of the last message, results of tools included. */
export function lastText(request: AnyRequest): string {
  return textsOf(messagesOf(request).at(-1)?.content).join('\n');
}

export function messagesOf(request: AnyRequest): readonly Spoken[] {
  return 'messages' in request ? request.messages : (request.body.messages as readonly Spoken[]);
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_result' ? textsOf(block.content) : [];
  });
}
