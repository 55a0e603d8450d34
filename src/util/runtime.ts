/**
 * The clock, fresh ids and a logger, which every part left of `cli/` gets instead of using globals. This makes many
 * sessions in one process safe, and a run with a seeded clock and ids repeatable.
 */
export interface Runtime {
  clock: Clock;
  ids: Ids;
  log: Logger;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A fresh random UUID (version 4 shape). */
  uuid(): string;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Diagnostics only: never protocol, never secrets. `warn` and `error` reach the user, `debug` only on request. */
export type Logger = (level: LogLevel, message: string, facts?: Record<string, unknown>) => void;
