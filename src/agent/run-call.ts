import { type CallSeams, execute, failure, type Outcome, prepare, type ToolCall } from './run-tools.ts';

/** A call that stands in no answer of a model, decided and run as those are. Never rejects. */
export async function runCall(seams: CallSeams, call: ToolCall, signal: AbortSignal): Promise<Outcome> {
  const prepared = await prepare(seams, call, signal).catch((error) => failure(seams, call, error));
  return 'block' in prepared ? prepared : execute(seams, call, prepared, signal);
}
