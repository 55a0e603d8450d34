import { messageOf } from '../util/message-of.ts';

/** What went wrong, as a word that programs can switch on. The table in docs/errors.md explains each. */
export type ErrorCode =
  | 'cli_not_found'
  | 'connection_failed'
  | 'not_connected'
  | 'process_failed'
  | 'json_decode'
  | 'message_parse'
  | 'control_timeout'
  | 'control_error'
  | 'line_too_long'
  | 'aborted'
  | 'closed'
  | 'fell_behind'
  | 'invalid_option'
  | 'invalid_settings'
  | 'no_credentials'
  | 'not_supported'
  | 'session_not_found'
  | 'session_ambiguous'
  | 'session_exists'
  | 'session_unreadable'
  | 'session_busy'
  | 'storage_failed'
  | 'sandbox_unavailable'
  | 'unknown_parent'
  | 'other';

export interface ErrorOptions {
  /** Machine-readable details: path, exit code, stderr lines, line number. Never a secret. */
  facts?: Record<string, unknown>;
  cause?: unknown;
}

const MARKER = Symbol.for('heddle.error');

/**
 * The one error class at every API edge. `message` says what happened and what to do next; `code` is stable.
 * `HeddleError.isInstance` works across bundled copies of the package, where `instanceof` does not.
 */
export class HeddleError extends Error {
  override name = 'HeddleError';
  readonly code: ErrorCode;
  readonly facts: Record<string, unknown>;
  readonly [MARKER] = true;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.facts = options.facts ?? {};
  }

  static isInstance(value: unknown): value is HeddleError {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

export class CliNotFoundError extends HeddleError {
  override name = 'CliNotFoundError';
  constructor(where: string, options?: ErrorOptions) {
    super('cli_not_found', `Claude Code not found: ${where}`, options);
  }
}

export class ConnectionError extends HeddleError {
  override name = 'ConnectionError';
  constructor(detail: string, options?: ErrorOptions) {
    super('connection_failed', `Connection error: ${detail}`, options);
  }
}

export class NotConnectedError extends HeddleError {
  override name = 'NotConnectedError';
  constructor(options?: ErrorOptions) {
    super('not_connected', 'Not connected. Call connect() first.', options);
  }
}

/** The agent process ended with an error, or with code 0 but without a result; `exitCode`, `signal` and the last stderr lines say how. */
export class ProcessError extends HeddleError {
  override name = 'ProcessError';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  constructor(exit: { code: number | null; signal: string | null; stderr: string }, options?: ErrorOptions) {
    const tail = exit.stderr.trim();
    super('process_failed', `Process ${howItEnded(exit)}${tail ? `\n${tail}` : ''}`, {
      facts: { ...exit },
      ...options,
    });
    this.exitCode = exit.code;
    this.signal = exit.signal;
    this.stderr = exit.stderr;
  }
}

function howItEnded({ code, signal }: { code: number | null; signal: string | null }): string {
  if (code === null) return `failed with signal ${signal ?? 'unknown'}`;
  return code === 0 ? 'ended without a result (exit code 0)' : `failed with exit code ${code}`;
}

export class JsonDecodeError extends HeddleError {
  override name = 'JsonDecodeError';
  constructor(detail: string, options?: ErrorOptions) {
    super('json_decode', `JSON decode error: ${detail}`, options);
  }
}

export class MessageParseError extends HeddleError {
  override name = 'MessageParseError';
  constructor(detail: string, options?: ErrorOptions) {
    super('message_parse', `Message parse error: ${detail}`, options);
  }
}

export class ControlTimeoutError extends HeddleError {
  override name = 'ControlTimeoutError';
  constructor(subtype: string, options?: ErrorOptions) {
    super('control_timeout', `Control request timeout: ${subtype}`, options);
  }
}

/** The other side answered a control request with an error. `errorCode` is its machine-readable word, if it sent one. */
export class ControlError extends HeddleError {
  override name = 'ControlError';
  readonly errorCode: string | undefined;
  /** Further fields of the error response, beside `error`. */
  readonly beside: Record<string, unknown>;
  constructor(message: string, errorCode?: string, options?: ErrorOptions & { beside?: Record<string, unknown> }) {
    super('control_error', message, { facts: { errorCode }, ...options });
    this.errorCode = errorCode;
    this.beside = options?.beside ?? {};
  }
}

/** The caller's abortController fired. (An interrupt is different: it ends the turn with an ordinary result.) */
export class AbortError extends HeddleError {
  override name = 'AbortError';
  constructor(message = 'Claude Code process aborted by user', options?: ErrorOptions) {
    super('aborted', message, options);
  }
}

/** Turns anything thrown into a HeddleError without hiding its text. */
export function toHeddleError(error: unknown): HeddleError {
  if (HeddleError.isInstance(error)) return error;
  return new HeddleError('other', messageOf(error), { cause: error });
}
