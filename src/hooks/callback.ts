import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/link/peer.ts';
import { failed, type HookAnswer, NO_ANSWER, readAnswer } from './answer.ts';
import type { CallbackHook } from './hook.ts';

/** Sends a request to the host; rejects when the host cannot be reached, answers with an error, or takes too long. */
export type CallHost = (request: ControlBody, options: { signal: AbortSignal; timeoutMs: number }) => Promise<unknown>;

/** Calls a function of the host with `hook_callback`. Never rejects. */
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
    // An SDK that sends this code has already reported the error to its program, with the stack.
    const isReportedToHost = error instanceof ControlError && error.errorCode === 'callback_failed';
    const failure = isReportedToHost
      ? `The callback failed: ${messageOf(error)}`
      : `The host could not be asked: ${messageOf(error)}`;
    return { ...failed(failure), isReportedToHost };
  }
}
