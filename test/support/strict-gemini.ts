import { type FakeApiRequest, fail, raw } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';

/** As Gemini 3: every call of the conversation comes back with the signature that it came with, or 400. */
export function strictGemini({ body }: FakeApiRequest, index: number) {
  const messages = body.messages as JsonObject[];
  const calls = messages.flatMap(({ tool_calls }) => (tool_calls as JsonObject[]) ?? []);
  if (!calls.every(({ id, extra_content }) => JSON.stringify(extra_content) === JSON.stringify(signatureOf(id)))) {
    return fail(400, 'INVALID_ARGUMENT', 'Function call is missing a thought_signature in functionCall parts.');
  }
  const isNewPrompt = messages.at(-1)?.role === 'user';
  if (!isNewPrompt) return raw(`${delta({ content: 'done' })}${END}`);
  const id = `call_${index}`;
  const called = { name: 'Bash', arguments: '{"command":"true"}' };
  const made = { index: 0, id, type: 'function', function: called, extra_content: signatureOf(id) };
  return raw(`${delta({ tool_calls: [made] })}${END}`);
}

export const signatureOf = (id: unknown) => ({ google: { thought_signature: `sig of ${id}` } });

const delta = (fields: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: fields, finish_reason }] })}\n\n`;
const END = `${delta({}, 'stop')}data: [DONE]\n\n`;
