import { messageOf } from '../../util/message-of.ts';
import { printable } from '../../util/text/printable.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { FetchLike } from '../remote/fetch-like.ts';

export interface AuthRequestsOptions {
  serverUrl: string;
  fetch: FetchLike;
  /** How long one request may take, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Metadata, registrations and tokens are small. */
const MAX_BYTES = 1024 * 1024;

/**
 * Sends the requests of a sign-in. A server names the authorization server, so it could send Heddle anywhere with
 * secrets: addresses must be https, and addresses of this machine are allowed only for a server on this machine. Each
 * request is limited in time and size, and does not follow redirects.
 */
export function authRequests({ serverUrl, fetch, timeoutMs, signal }: AuthRequestsOptions): FetchLike {
  return async (address, init) => {
    const url = new URL(address);
    checkAddress(url, serverUrl);
    const limits = [signal, AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(limits) });
    return bounded(response, url);
  };
}

/** Throws `sign_in_failed` for an address to which no secret may be sent and for which no browser may be opened. */
export function checkAddress(url: URL, serverUrl: string): void {
  if (isLoopback(url) ? isLoopback(new URL(serverUrl)) && /^https?:$/.test(url.protocol) : url.protocol === 'https:')
    return;
  const place = `${url.protocol}//${url.host}`;
  const why = isLoopback(url) ? 'the server is not on this machine' : 'it must be https';
  throw signInFailed('unsafe_address', `${place} is no safe place to sign in: ${why}`);
}

/** Why a sign-in failed, as a word that programs can switch on. */
export type SignInTrouble =
  | 'unsafe_address'
  | 'not_asked'
  | 'no_registration'
  | 'refused'
  | 'timeout'
  | 'port_in_use'
  | 'failed';

/** Runs a part of a sign-in; every error becomes `sign_in_failed`, except for the signal's reason. */
export async function asSignInFailure<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (HeddleError.isInstance(error) || signal.aborted) throw error;
    throw signInFailed('failed', `The sign-in failed: ${shortMessage(error)}`, error);
  }
}

const MAX_TEXT = 300;

function shortMessage(error: unknown): string {
  const cause = error instanceof Error && error.message === 'fetch failed' ? error.cause : undefined;
  return messageOf(cause ?? error).slice(0, MAX_TEXT);
}

/** The message contains texts of servers and is printed on a terminal. */
export function signInFailed(reason: SignInTrouble, message: string, cause?: unknown): HeddleError {
  return new HeddleError('sign_in_failed', printable(message), { facts: { reason }, cause });
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

async function bounded(response: Response, url: URL): Promise<Response> {
  const { status, statusText, headers, body } = response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const bytes = isStream ? null : await readUpTo(MAX_BYTES, body, url);
  if (isStream) await body?.cancel(); // a stream would never end, and no answer of a sign-in is streamed
  return new Response(bytes && bytes.length > 0 ? bytes : null, { status, statusText, headers });
}

async function readUpTo(max: number, body: Response['body'], url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > max) throw signInFailed('failed', `${url.host} answered with more than ${max} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
