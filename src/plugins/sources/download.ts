import { createHash } from 'node:crypto';
import { checkHttps, withoutPassword } from '../marketplace-source.ts';
import { pluginError } from '../plugin-error.ts';
import { MAX_BYTES } from './safe-names.ts';
import type { FetchTools } from './tools.ts';

export interface Download {
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Hexadecimal, or `sha256-…`. */
  sha256?: string | undefined;
  maxBytes?: number;
}

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 120_000;

/** The content behind an https address. Rejects with `plugin_failed`, also where its hash is not the one that was given. */
export async function download(
  { url, headers, sha256, maxBytes = MAX_BYTES }: Download,
  tools: FetchTools,
): Promise<Buffer> {
  const shown = withoutPassword(url);
  tools.report(`Fetching ${shown}`);
  const signal = AbortSignal.any([tools.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let data: Buffer;
  try {
    const response = await follow(url, headers ?? {}, { ...tools, signal });
    data = await bodyOf(response, { shown, maxBytes });
  } catch (error) {
    throw failed(shown, error);
  }
  if (sha256 !== undefined && !isHash(data, sha256)) {
    const hash = createHash('sha256').update(data).digest('hex');
    throw pluginError(`${shown} has the sha256 ${hash}, and not ${sha256}: it is not what was listed`);
  }
  return data;
}

/** Headers may be credentials: they stay with the host that they are for. */
async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  { fetch, signal }: Pick<FetchTools, 'fetch' | 'signal'>,
): Promise<Response> {
  let at = url;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    checkHttps(at);
    const { origin, username, password } = new URL(url);
    const own = username === '' ? headers : { authorization: basic(username, password), ...headers };
    const isSame = new URL(at).origin === origin;
    const response = await fetch(plain(at), { headers: isSame ? own : {}, redirect: 'manual', signal });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) {
      if (response.ok) return response;
      throw pluginError(`it answers ${response.status}`);
    }
    await response.body?.cancel();
    const from = at;
    at = new URL(next, at).href;
    // An address of the network has no business with the servers of this machine.
    if (from.startsWith('https:') && !at.startsWith('https:'))
      throw pluginError(`it redirects to ${withoutPassword(at)}`);
  }
  throw pluginError('it redirects for ever');
}

/** `fetch` refuses an address with a name and a password, and quotes it. */
function plain(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function basic(username: string, password: string): string {
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

async function bodyOf(response: Response, { shown, maxBytes }: { shown: string; maxBytes: number }): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maxBytes) throw pluginError(`${shown} has more than ${maxBytes / 1024 / 1024} MB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isHash(data: Buffer, wanted: string): boolean {
  const hash = createHash('sha256').update(data);
  return wanted.startsWith('sha256-')
    ? `sha256-${hash.digest('base64')}` === wanted
    : hash.digest('hex') === wanted.toLowerCase();
}

function failed(shown: string, error: unknown): Error {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return reason.startsWith(shown) ? pluginError(reason, error) : pluginError(`${shown}: ${reason}`, error);
}
