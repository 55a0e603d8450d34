import type { Failure } from '../model/model.ts';
import type { AssistantMessage, AssistantMessageError } from '../wire/messages/index.ts';

/** Describes a model failure: a word for programs, and a text that tells people what to do next. */
export function describeFailure(
  failure: Failure,
  model: string,
): { error: NonNullable<AssistantMessage['error']>; text: string } {
  const status = failure.status === undefined ? '' : `${failure.status} `;
  const api = `API Error: ${status}${failure.body ?? failure.message}`;
  switch (failure.class) {
    case 'authentication':
      // No request was sent, because there is no credential; the message says what to do.
      if (failure.status === undefined) return { error: 'authentication_failed', text: failure.message };
      return { error: 'authentication_failed', text: `${api} · Check the API key of this model` };
    case 'billing':
      return { error: 'billing_error', text: billingText(failure.message) };
    case 'rate_limit':
      return { error: 'rate_limit', text: api };
    case 'invalid_request':
      return { error: 'unknown', text: api };
    case 'prompt_too_long':
      return { error: 'invalid_request', text: 'Prompt is too long' };
    case 'model_not_found':
      return {
        error: 'model_not_found',
        text: `The model ${model} was not found (${failure.message}): choose another one with --model`,
      };
    case 'overloaded':
    case 'server':
    case 'connection':
    case 'timeout':
    case 'malformed':
      return { error: 'server_error', text: api };
    case 'aborted':
      return { error: 'unknown', text: failure.message };
    default:
      return failure.class satisfies never;
  }
}

/** The words of the reference, with those of a server that says more. */
function billingText(message: string): string {
  const text = 'Credit balance is too low';
  return /credit balance/i.test(message) ? text : `${text}: ${message}`;
}

/** The kind of failure as a word for programs, more exact than the error line of an answer allows. */
export function kindOfTrouble(failure: Failure): AssistantMessageError {
  const { class: kind } = failure;
  return kind === 'overloaded' || kind === 'invalid_request' ? kind : describeFailure(failure, '').error;
}
