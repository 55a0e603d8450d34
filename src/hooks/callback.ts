import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { failed, type HookAnswer, NO_ANSWER, readAnswer } from './answer.ts';
import type { CallbackHook } from './hook.ts';

/** Asks the host; rejects when it cannot be reached, answers with an error, or takes too long. */
export type CallHost = (request: ControlBody, options: { signal: AbortSignal; timeoutMs: number }) => Promise<unknown>;

/** Calls a function of the host with `hook_callback` (wire.md 6.4). Never rejects. */
export async function callBack(
  { event, callbackId, timeoutMs }: CallbackHook,
  call: { input: JsonObject; toolUseId: string },
  callHost: CallHost,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const { input, toolUseId } = call;
  const request = { subtype: 'hook_callback', callback_id: callbackId, input, tool_use_id: toolUseId };
  try {
    return readAnswer(event, await callHost(request, { signal, timeoutMs }));
  } catch (error) {
    if (signal.aborted) return NO_ANSWER;
    // An SDK that says so has told its program already, with the stack.
    const isToldToHost = error instanceof ControlError && error.errorCode === 'callback_failed';
    const failure = isToldToHost
      ? `The callback failed: ${messageOf(error)}`
      : `The host could not be asked: ${messageOf(error)}`;
    return { ...failed(failure), isToldToHost };
  }
}
