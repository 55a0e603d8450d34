import { messageOf } from '../util/message-of.ts';
import { warnProcess } from '../util/process-warning.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Options } from './options.ts';

/** Tells the program what went wrong beside its conversation. Never throws. */
export type TellHost = (error: HeddleError) => void;

/**
 * By `onError` where there is one, else as the agent's own warnings are told: by `stderr`, else as a warning of the process
 * (ruling K51). The stack is that of the cause: of a function of the program, it names the line that threw.
 */
export function hostTeller({ onError, stderr }: Pick<Options, 'onError' | 'stderr'>): TellHost {
  return (error) => {
    const stack = stackOf(error.cause);
    try {
      if (onError) onError(error);
      else if (stderr) stderr(`heddle: ${[error.message, stack].filter(Boolean).join('\n')}\n`);
      else warnProcess(error.message, stack);
    } catch (thrown) {
      warnProcess(`${onError ? 'onError' : 'stderr'} threw: ${messageOf(thrown)}`, stackOf(thrown));
      warnProcess(error.message, stack);
    }
  };
}

/** That a function of the program has failed, and what came of it. */
export function callbackFailed(who: string, effect: string, cause: unknown): HeddleError {
  const facts = { callback: who };
  return new HeddleError('callback_failed', `${who} threw ${wordsOf(cause)}. ${effect}`, { facts, cause });
}

/** That a function of the program has answered with something that is no answer. */
export function callbackOdd(who: string, what: string, effect: string): HeddleError {
  return new HeddleError('callback_failed', `${who} ${what}. ${effect}`, { facts: { callback: who } });
}

/** `TypeError: x is not a function` */
function wordsOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

/** Of what lies behind our own words for it. */
function stackOf(cause: unknown): string | undefined {
  if (HeddleError.isInstance(cause) && cause.cause instanceof Error) return stackOf(cause.cause);
  return cause instanceof Error ? cause.stack : undefined;
}
