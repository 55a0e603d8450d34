import { messageOf } from '../util/message-of.ts';
import { warnProcess } from '../util/process/process-warning.ts';
import { HeddleError } from '../wire/errors.ts';

/** Reports errors outside of the conversation to the program. Never throws. */
export type ReportToHost = (error: HeddleError) => void;

/** The options of a program that take such reports. */
interface ReportOptions {
  readonly onError?: ((error: HeddleError) => void) | undefined;
  readonly stderr?: ((text: string) => void) | undefined;
}

/**
 * Reports by `onError` where it is set, else by `stderr`, else as a warning of the process. The stack is that of the
 * cause, so that for a function of the program it names the line that threw.
 */
export function hostTeller({ onError, stderr }: ReportOptions): ReportToHost {
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

/** The error for a function of the program that failed, with the effect. */
export function callbackFailed(who: string, effect: string, cause: unknown): HeddleError {
  const facts = { callback: who };
  return new HeddleError('callback_failed', `${who} threw ${wordsOf(cause)}. ${effect}`, { facts, cause });
}

/** The error for a function of the program that returned an invalid answer. */
export function callbackOdd(who: string, what: string, effect: string): HeddleError {
  return new HeddleError('callback_failed', `${who} ${what}. ${effect}`, { facts: { callback: who } });
}

/** `TypeError: x is not a function` */
function wordsOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

/** The stack of the innermost cause that Heddle's error wraps. */
function stackOf(cause: unknown): string | undefined {
  if (HeddleError.isInstance(cause) && cause.cause instanceof Error) return stackOf(cause.cause);
  return cause instanceof Error ? cause.stack : undefined;
}
