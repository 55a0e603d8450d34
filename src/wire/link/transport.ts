import type { JsonObject } from '../../util/json.ts';
import type { HeddleError } from '../errors.ts';

/** How the far end of a transport ended. An end in this process reports code 0 or 1, like a process. */
export interface ExitInfo {
  code: number | null;
  signal: string | null;
  /** The last lines of the far end's stderr, for error messages. */
  stderr: string;
  /** Only for a run in this process: why it could not start, else null. */
  error?: HeddleError | null;
}

/**
 * Moves lines between the two ends of the protocol. A line is one JSON object; the transport does the framing.
 *
 * - `connect` opens the channel; it rejects with a HeddleError when that fails.
 * - `write` passes a line on. The promise, if there is one, resolves when the channel can take more (back-pressure).
 *   Lines are written whole and in the order of the calls. It rejects with `closed` after `endInput` or `close`.
 * - `readMessages` may be called once. It yields every line, also while writing and closing, and ends when the far end
 *   closes its side. It yields a HeddleError for a line that cannot be read (`line_too_long` for one that is too long)
 *   and continues; it throws only when the channel breaks.
 * - `endInput` declares that no more lines follow; the far end may finish its work. `close` ends the far end by force.
 * - `exit` resolves once, when the far end is gone. It never rejects.
 */
export interface Transport {
  connect(): Promise<void>;
  write(message: JsonObject): Promise<void> | undefined;
  readMessages(): AsyncIterable<JsonObject | Error>;
  endInput(): void;
  close(): Promise<ExitInfo>;
  isReady(): boolean;
  readonly exit: Promise<ExitInfo>;
  /** The process of the far end, once it runs. Undefined where there is none. */
  readonly pid?: number | undefined;
}
