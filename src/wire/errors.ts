import { messageOf } from '../util/message-of.ts';

/** The kind of error, as a word that programs can switch on. docs/errors.md explains each. */
export type ErrorCode =
  | 'cli_not_found'
  | 'connection_failed'
  | 'not_connected'
  | 'process_failed'
  | 'run_failed'
  | 'json_decode'
  | 'message_parse'
  | 'control_timeout'
  | 'control_error'
  | 'callback_failed'
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
  | 'session_taken'
  | 'cannot_attach'
  | 'not_authenticated'
  | 'not_permitted'
  | 'invalid_request'
  | 'wrong_host'
  | 'wrong_origin'
  | 'too_large'
  | 'not_found'
  | 'uuid_conflict'
  | 'queue_full'
  | 'quota_exceeded'
  | 'already_taken'
  | 'turn_running'
  | 'no_turn'
  | 'turn_abandoned'
  | 'cursor_gone'
  | 'cursor_unknown'
  | 'unknown_question'
  | 'already_answered'
  | 'question_withdrawn'
  | 'driver_connected'
  | 'not_answered'
  | 'draining'
  | 'server_running'
  | 'cannot_listen'
  | 'resume_rejected'
  | 'task_not_found'
  | 'storage_failed'
  | 'sandbox_unavailable'
  | 'enforcement_unavailable'
  | 'plugin_failed'
  | 'worktree_failed'
  | 'unknown_parent'
  | 'nothing_to_continue'
  | 'command_refused'
  | 'server_not_found'
  | 'sign_in_failed'
  | 'failed_result'
  | 'load_failed'
  | 'installation_changed'
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
 *
 * @example
 * ```ts
 * try {
 *   for await (const message of query({ prompt: 'hello' })) console.log(message.type);
 * } catch (error) {
 *   if (HeddleError.isInstance(error)) console.error(error.code, error.message, error.facts);
 * }
 * ```
 */
export class HeddleError extends Error {
  override name = 'HeddleError';
  readonly code: ErrorCode;
  readonly facts: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.facts = options.facts ?? {};
  }

  /** A getter of the class, because programs that print an error print all of its own properties. */
  get [MARKER](): true {
    return true;
  }

  static isInstance(value: unknown): value is HeddleError {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

/**
 * Heddle found no agent to start, neither at the path in the options nor in the usual directories.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof CliNotFoundError) console.error('There is no agent to start:', error.message);
 * }
 * ```
 */
export class CliNotFoundError extends HeddleError {
  override name = 'CliNotFoundError';
  /** `program`: the name of the program that is missing, if not Heddle. */
  constructor(where: string, options: ErrorOptions & { program?: string } = {}) {
    super('cli_not_found', `${options.program ?? 'Heddle'} not found: ${where}`, options);
  }
}

/**
 * The agent cannot be reached: it did not start, or lines do not arrive.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof ConnectionError) console.error('The agent cannot be reached:', error.cause);
 * }
 * ```
 */
export class ConnectionError extends HeddleError {
  override name = 'ConnectionError';
  constructor(detail: string, options?: ErrorOptions) {
    super('connection_failed', `Connection error: ${detail}`, options);
  }
}

/**
 * A method of the client was called before `connect`, or after `disconnect`.
 *
 * @example
 * ```ts
 * const client = new HeddleClient();
 * try {
 *   await client.query('hello');
 * } catch (error) {
 *   if (error instanceof NotConnectedError) await client.connect();
 * }
 * ```
 */
export class NotConnectedError extends HeddleError {
  override name = 'NotConnectedError';
  constructor(options?: ErrorOptions) {
    super('not_connected', 'Not connected. Call connect() first.', options);
  }
}

/**
 * A line that is not JSON. The message does not quote the line, because the line may hold anything.
 *
 * @example
 * ```ts
 * const onError = (error: Error) => {
 *   if (error instanceof JsonDecodeError) console.warn('A line was no JSON:', error.facts);
 * };
 * for await (const message of query({ prompt: 'hello', options: { onError } })) console.log(message.type);
 * ```
 */
export class JsonDecodeError extends HeddleError {
  override name = 'JsonDecodeError';
  constructor(detail: string, options?: ErrorOptions) {
    super('json_decode', `JSON decode error: ${detail}`, options);
  }
}

/**
 * A line that is JSON, but not the message that its `type` names. The text names the first bad field.
 *
 * @example
 * ```ts
 * const onError = (error: Error) => {
 *   if (error instanceof MessageParseError) console.warn('Not a message that we know:', error.message);
 * };
 * for await (const message of query({ prompt: 'hello', options: { onError } })) console.log(message.type);
 * ```
 */
export class MessageParseError extends HeddleError {
  override name = 'MessageParseError';
  constructor(detail: string, options?: ErrorOptions) {
    super('message_parse', `Message parse error: ${detail}`, options);
  }
}

/**
 * The other side did not answer a control request in time.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof ControlTimeoutError) console.error('The agent did not answer in time:', error.message);
 * }
 * ```
 */
export class ControlTimeoutError extends HeddleError {
  override name = 'ControlTimeoutError';
  constructor(subtype: string, options?: ErrorOptions) {
    super('control_timeout', `Control request timeout: ${subtype}`, options);
  }
}

/**
 * The other side answered a control request with an error. `errorCode` is the code that it sent, if any.
 *
 * @example
 * ```ts
 * const run = query({ prompt: 'hello' });
 * try {
 *   await run.setModel('no-such-model');
 * } catch (error) {
 *   if (error instanceof ControlError) console.error(error.message, error.errorCode);
 * }
 * ```
 */
export class ControlError extends HeddleError {
  override name = 'ControlError';
  readonly errorCode: string | undefined;
  /** Fields of the error response other than `error`. */
  readonly beside: Record<string, unknown>;
  constructor(message: string, errorCode?: string, options?: ErrorOptions & { beside?: Record<string, unknown> }) {
    super('control_error', message, { facts: { errorCode }, ...options });
    this.errorCode = errorCode;
    this.beside = options?.beside ?? {};
  }
}

/**
 * The caller's abortController fired. (An interrupt is different: it ends the turn with an ordinary result.)
 *
 * @example
 * ```ts
 * const abortController = new AbortController();
 * setTimeout(() => abortController.abort(), 60_000);
 * try {
 *   for await (const message of query({ prompt: 'hello', options: { abortController } })) console.log(message.type);
 * } catch (error) {
 *   if (error instanceof AbortError) console.log('given up after a minute');
 * }
 * ```
 */
export class AbortError extends HeddleError {
  override name = 'AbortError';
  constructor(message = 'Agent aborted by user', options?: ErrorOptions) {
    super('aborted', message, options);
  }
}

/**
 * Turns any thrown value into a HeddleError and keeps its text.
 *
 * @example
 * ```ts
 * try {
 *   await prompt('hello');
 * } catch (error) {
 *   if (error instanceof Error) console.error(toHeddleError(error).code);
 * }
 * ```
 */
export function toHeddleError(error: unknown): HeddleError {
  if (HeddleError.isInstance(error)) return error;
  return new HeddleError('other', messageOf(error), { cause: error });
}
