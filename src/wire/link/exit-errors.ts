import { type ErrorOptions, HeddleError } from '../errors.ts';
import type { ExitInfo } from './transport.ts';

/** The error for an agent that ended without an explanation. */
export function exitError(exit: ExitInfo): HeddleError {
  return exit.error === undefined ? new ProcessError(exit) : new RunError(exit.error);
}

/**
 * The agent process ended with an error, or with code 0 but without a result. `exitCode` and `signal` say how; the
 * message quotes the last lines that it wrote to stderr, and `stderr` has more of them.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof ProcessError) console.error(error.exitCode, error.signal, error.stderr);
 * }
 * ```
 */
export class ProcessError extends HeddleError {
  override name = 'ProcessError';
  readonly exitCode: number | null;
  readonly signal: string | null;
  declare readonly stderr: string;
  constructor(exit: { code: number | null; signal: string | null; stderr: string }, options?: ErrorOptions) {
    const { code, signal, stderr } = exit;
    const tail = lastLines(stderr);
    super('process_failed', `Process ${howItEnded(exit)}${tail ? `\n${tail}` : ''}`, {
      facts: hiding({ code, signal }, { stderr }),
      ...options,
    });
    this.exitCode = code;
    this.signal = signal;
    hiding(this, { stderr });
  }

  /** The fields that a log stores as JSON. `stderr` is not enumerable, because the message quotes it. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, exitCode, signal, stderr } = this;
    return { name, message, code, exitCode, signal, stderr };
  }
}

/**
 * A run in this process (`inProcess`) did not start, or ended without a result. `cause` is the original error, if any,
 * and `facts.reason` its code.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof RunError) console.error('The run did not start:', error.facts.reason, error.message);
 * }
 * ```
 */
export class RunError extends HeddleError {
  override name = 'RunError';
  constructor(cause: HeddleError | null, options?: ErrorOptions) {
    const message = cause ? `The run could not start: ${cause.message}` : 'The run ended without a result';
    super('run_failed', message, {
      ...(cause && { facts: { reason: cause.code, ...cause.facts }, cause }),
      ...options,
    });
  }
}

/** Adds properties that can be read but are not enumerable. */
function hiding<T extends object>(object: T, hidden: Record<string, unknown>): T {
  for (const [key, value] of Object.entries(hidden)) Object.defineProperty(object, key, { value });
  return object;
}

/** The length of a quote of stderr that fits on a screen together with a stack. */
const MAX_QUOTED = 800;

function lastLines(stderr: string): string {
  const text = stderr.trim();
  if (text.length <= MAX_QUOTED) return text;
  const [, whole, broken] = /^[^\n]*\n(.+)$|^[\uDC00-\uDFFF]?(.*)$/s.exec(text.slice(-MAX_QUOTED)) ?? [];
  return `…${whole === undefined ? broken : `\n${whole}`}`;
}

function howItEnded({ code, signal }: { code: number | null; signal: string | null }): string {
  if (code === null) return `failed with signal ${signal ?? 'unknown'}`;
  return code === 0 ? 'ended without a result (exit code 0)' : `failed with exit code ${code}`;
}
