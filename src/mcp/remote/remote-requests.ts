import type { FetchLike } from './fetch-like.ts';

const MAX_REDIRECTS = 3;
/** How much of a refusal is read: it becomes part of a message. */
const MAX_REFUSAL_BYTES = 4000;
/** Not 303, which changes the method of the request. */
const REDIRECTS: readonly number[] = [301, 302, 307, 308];

/**
 * Sends requests to one server. The headers of its configuration are secrets for this server alone, and a server must
 * not make Heddle send requests to others: redirects are followed on its own host only. The text of a refusal is
 * bounded.
 */
export function remoteRequests(fetch: FetchLike): FetchLike {
  return async (address, init) => {
    let url = new URL(address);
    for (let sent = 0; sent <= MAX_REDIRECTS; sent++) {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return response.ok ? response : bounded(response);
      await response.body?.cancel();
      url = redirected(url, location);
    }
    throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
  };
}

/** Throws unless the location is on the same host and not less secure. */
function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  const isUpgrade = from.protocol === 'http:' && to?.protocol === 'https:' && to.hostname === from.hostname;
  if (to && (to.origin === from.origin || isUpgrade)) return to;
  throw new Error(`it redirects to ${to?.origin ?? 'no address'}: if that is meant, configure its address`);
}

async function bounded(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= MAX_REFUSAL_BYTES) break;
  }
  const text = Buffer.concat(parts).subarray(0, MAX_REFUSAL_BYTES).toString();
  return new Response(text, { status, statusText, headers });
}
