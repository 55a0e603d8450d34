import { fail, reply, text, toolUse } from '../../../src/testing/index.ts';
import type { Finished, RunningCli } from '../../support/cli.ts';
import type { Line } from '../../support/lines.ts';
import type { makePlace, Place } from '../../support/place.ts';

/** What a situation leads to: the columns of docs/results.md. Null: no such field, or no result line at all. */
export interface Outcome {
  subtype: string | null;
  isError: boolean | null;
  terminalReason: string | null;
  errorCode: string | null;
  exitCode: number;
}

/** One row of the decision table: situation → script → outcome. */
export interface Row {
  /** The words of docs/results.md. */
  situation: string;
  /** Which case of the situation this is; names feature rows. */
  title: string;
  outcome: Outcome;
  script?: Parameters<typeof makePlace>[0];
  args?: string[];
  env?: Record<string, string | undefined>;
  /** All said at once, then the input ends. Default: one prompt. */
  prompts?: string[];
  /** Prepares the place. */
  before?: (place: Place) => void;
  /** A host that does more than to prompt; the input ends when it is done. */
  host?: (cli: RunningCli, place: Place) => Promise<void> | void;
  /** Instead of the command line. */
  run?: (place: Place) => Promise<Finished>;
  requests: number | { atMost: number };
  /** How many result lines there are. Default: one for each prompt. */
  results?: number;
  /** The last line: the text of its result, else its first error. Stderr where there is no result. */
  says?: string | RegExp;
  and?: (run: { lines: Line[]; result: Line; place: Place }) => void;
}

export const SUCCESS: Outcome = {
  subtype: 'success',
  isError: false,
  terminalReason: 'completed',
  errorCode: null,
  exitCode: 0,
};

/** A limit or a fault: subtype and reason tell the same. */
export function failed(subtype: string, reason: string): Outcome {
  return { subtype, isError: true, terminalReason: reason, errorCode: reason, exitCode: 1 };
}

export function broken(reason: string): Outcome {
  return failed('error_during_execution', reason);
}

/** An error in the place of an answer (ruling K24). */
export function errorAnswer(errorCode: string, terminalReason = 'api_error'): Outcome {
  return { subtype: 'success', isError: true, terminalReason, errorCode, exitCode: 1 };
}

/** A result with no turn behind it. */
export function lone(errorCode: string): Outcome {
  return { subtype: 'error_during_execution', isError: true, terminalReason: null, errorCode, exitCode: 1 };
}

export function noResult(exitCode: number): Outcome {
  return { subtype: null, isError: null, terminalReason: null, errorCode: null, exitCode };
}

/** Lets every command run. */
export const BASH = ['--allowedTools', 'Bash'];
export const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
export const overloaded = fail(529, 'overloaded_error', 'Overloaded', { 'retry-after-ms': '1' });
export const tooLong = fail(400, 'invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum');
/** Begins to answer and never goes on. */
export const stuck = reply([text('never')], { fault: { after: { block: 0 }, how: 'hang' } });

export function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
