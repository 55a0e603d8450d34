import type { IncomingHttpHeaders } from 'node:http';
import { Aborted } from '../util/abort.ts';
import { isObject, stringField, tryParseJson } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Hide } from './hide-secrets.ts';
import type { Failure, FailureClass } from './model.ts';

/** Enough for every meaningful error body; a longer one would only fill logs. */
export const MAX_ERROR_BODY_BYTES = 64 * 1024;

/** A failure in code that can only throw; the outermost function of the adapter turns it into an event. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface ErrorAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The failure of an answer with an error status. `now` is needed for a `retry-after` that is a date. */
export function failureOfAnswer({ status, headers, body }: ErrorAnswer, now: number): Failure {
  const error = errorObject(tryParseJson(body));
  const message = error?.message ?? plainMessage(status, body);
  const retryAfterMs = readRetryAfter(headers, now);
  return {
    class: classOfWords(error) ?? classOfStatus(status, message),
    message,
    status,
    requestId: requestIdOf(headers),
    ...(error && { providerType: error.type }),
    body,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** An error that arrived as JSON instead of an answer: inside a stream, or in a body with status 200. */
export function failureOfErrorText(text: string, requestId: string | null): Failure {
  const error = errorObject(tryParseJson(text));
  const message = error?.message ?? 'The API reported an error without saying which.';
  return {
    class: classOfWords(error) ?? classInStream(error, message),
    message,
    requestId,
    ...(error && { providerType: error.type }),
    body: text,
  };
}

/** The failure for any thrown error: an abort, a ModelFailure from a lower layer, or trouble with the connection. */
export function failureOfError(error: unknown, host: string): Failure {
  if (error instanceof ModelFailure) return error.failure;
  if (error instanceof Aborted) {
    if (error.kind === 'timeout') return { class: 'timeout', message: error.message };
    return { class: 'aborted', message: 'The request was aborted.' };
  }
  const code = stringField(error, 'code');
  if (code?.startsWith('ERR_INVALID_')) return { class: 'invalid_request', message: firstMessageOf(error) };
  // The request is longer than any string can be.
  if (error instanceof RangeError) return { class: 'prompt_too_long', message: 'Prompt is too long' };
  return { class: 'connection', message: connectionMessage(code, firstMessageOf(error), host) };
}

export function requestIdOf(headers: IncomingHttpHeaders): string | null {
  const id = headers['request-id'] ?? headers['x-request-id'] ?? headers['x-amzn-requestid'];
  return typeof id === 'string' ? id : null;
}

/** The failure as people may see it: without credentials in the server's texts, and cut to a meaningful length. */
export function presentable(failure: Failure, hide: Hide): Failure {
  const { message, body, requestId, providerType } = failure;
  return {
    ...failure,
    message: hide(message),
    ...(requestId && { requestId: hide(requestId) }),
    ...(providerType !== undefined && { providerType: hide(providerType) }),
    // Cut after hiding: half of a secret would not be found.
    ...(body !== undefined && { body: hide(body).slice(0, MAX_ERROR_BODY_BYTES) }),
  };
}

const CLASS_OF_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [401, 'authentication'],
  [402, 'billing'],
  [403, 'authentication'],
  [404, 'model_not_found'],
  [407, 'authentication'],
  [408, 'server'],
  [409, 'server'],
  [413, 'prompt_too_long'],
  [429, 'rate_limit'],
  [529, 'overloaded'],
]);

const CLASS_OF_TYPE: ReadonlyMap<string, FailureClass> = new Map([
  ['invalid_request_error', 'invalid_request'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'authentication'],
  ['billing_error', 'billing'],
  ['not_found_error', 'model_not_found'],
  ['rate_limit_error', 'rate_limit'],
  ['overloaded_error', 'overloaded'],
  ['timeout_error', 'timeout'],
  ['request_too_large', 'prompt_too_long'],
]);

/** Error words of OpenAI-compatible servers that are more precise than the status they come with. */
const CLASS_OF_WORD: ReadonlyMap<unknown, FailureClass> = new Map<unknown, FailureClass>([
  ['invalid_api_key', 'authentication'],
  ['insufficient_quota', 'billing'],
  ['exceeded_current_quota_error', 'billing'],
  ['context_length_exceeded', 'prompt_too_long'],
  ['exceed_context_size_error', 'prompt_too_long'],
  ['model_not_found', 'model_not_found'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['engine_overloaded_error', 'overloaded'],
]);

function classOfWords(error: ErrorWords | undefined): FailureClass | undefined {
  return CLASS_OF_WORD.get(error?.code) ?? CLASS_OF_WORD.get(error?.type);
}

/** Without a status, the type decides, or a code that is itself a status. */
function classInStream(error: ErrorWords | undefined, message: string): FailureClass {
  const known = CLASS_OF_TYPE.get(error?.type ?? '');
  if (known) return refine(known, message);
  const status = Number(error?.code);
  return status >= 400 && status < 600 ? classOfStatus(status, message) : 'server';
}

function classOfStatus(status: number, message: string): FailureClass {
  return refine(CLASS_OF_STATUS.get(status) ?? (status >= 500 ? 'server' : 'invalid_request'), message);
}

/** Two refusals have the status and the type of an ordinary invalid request; only their message distinguishes them. */
function refine(found: FailureClass, message: string): FailureClass {
  if (found !== 'invalid_request') return found;
  if (TOO_LONG.test(message)) return 'prompt_too_long';
  if (/credit balance/i.test(message)) return 'billing';
  if (/\bnot a valid model id\b/i.test(message)) return 'model_not_found';
  // Google's word for a wrong key, with the status of an invalid request.
  if (/\bapi key not valid\b/i.test(message)) return 'authentication';
  return found;
}

/** Messages of the Messages API, then of OpenAI, vLLM, llama.cpp and Moonshot. */
const TOO_LONG = new RegExp(
  [
    'prompt is too long',
    'exceed(s|ed)? (the )?(available )?context (limit|window|size)',
    'maximum context length',
    'context length is only',
    'exceeded model token limit',
  ].join('|'),
  'i',
);

interface ErrorWords {
  type: string;
  code: unknown;
  message: string;
}

/** `{error: {…}}`, `{error: "…"}`, or the error itself without a wrapper; Google puts it into a list, AWS writes `Message`. */
function errorObject(told: unknown): ErrorWords | undefined {
  const value = Array.isArray(told) ? told[0] : told;
  const error = isObject(value) ? (value.error ?? value) : undefined;
  const text = typeof error === 'string' ? error : undefined;
  const message = stringField(error, 'message') ?? stringField(error, 'Message') ?? text;
  if (message === undefined) return undefined;
  return { type: stringField(error, 'type') ?? 'error', code: isObject(error) ? error.code : undefined, message };
}

/** The first words of a body that is not JSON, such as the page of a proxy. */
function plainMessage(status: number, body: string): string {
  const text = body
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? `The API answered with HTTP status ${status}.` : text.slice(0, 300);
}

function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const inMs = Number(headers['retry-after-ms']);
  if (inMs > 0) return inMs;
  const value = headers['retry-after'];
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
  return ms > 0 ? ms : undefined;
}

function connectionMessage(code: string | undefined, detail: string, host: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `Could not connect to ${host}: connection refused (ECONNREFUSED).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `Could not find the host ${host} (${code}).`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `The connection to ${host} was cut (${code}).`;
    default:
      return `Connection to ${host} failed: ${detail}${code ? ` (${code})` : ''}`;
  }
}

/** A host with several addresses fails with one error for each of them. */
function firstMessageOf(error: unknown): string {
  const isSeveral = error instanceof AggregateError && error.errors.length > 0;
  return isSeveral ? firstMessageOf(error.errors[0]) : messageOf(error);
}
