import { toHeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Refusal } from './check-input.ts';
import { lifecycleLines } from './lifecycle.ts';
import type { Parts } from './parts.ts';
import { addInput, goesElsewhere, textOfInput } from './record-input.ts';

/**
 * Records a message with `shouldQuery: false`: it is part of the conversation from now on, and nothing answers it. Never
 * rejects. Resolves with the lines that tell of it when it is on disk, or with why it is not. `refused`: why nothing is
 * taken from this host.
 */
export async function appendInput(
  parts: Parts,
  input: UserInput,
  refused: string | null,
): Promise<{ lines: Message[] } | Refusal> {
  if (refused !== null) return refusal(parts, input, { code: 'not_supported', message: refused });
  try {
    return { lines: await append(parts, input) };
  } catch (error) {
    return refusal(parts, input, toHeddleError(error));
  }
}

async function append(parts: Parts, input: UserInput): Promise<Message[]> {
  const newId = () => parts.runtime.ids.uuid();
  const { signal } = new AbortController(); // hooks have limits of their own
  if (goesElsewhere(input)) await (await import('./edits.ts')).turnTo(parts, input);
  await parts.hooks?.begin(signal);
  const blocked = await parts.hooks?.submit(input, signal);
  if (blocked) return [...lifecycleLines(input, ['cancelled'], newId, parts.sessionId), blocked.line];
  const lines = await addInput(parts, input, { uuid: input.uuid ?? newId(), signal });
  if (parts.isBranching) await parts.recorder.markLeaf(textOfInput(input));
  return lines;
}

/** It is not part of the session, so it may be sent again. */
function refusal(parts: Parts, { uuid }: UserInput, { code, message }: { code: string; message: string }): Refusal {
  if (uuid !== undefined) parts.uuids.delete(uuid);
  const facts = { error_code: code, ...(uuid !== undefined && { input_uuid: uuid }) };
  return { error: `The message was not appended: ${message}`, facts };
}
