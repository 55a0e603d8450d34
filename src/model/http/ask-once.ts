import type { HttpRequest } from './http.ts';
import { createHttpClient } from './http.ts';
import { type ProxyEnv, proxyFor } from './proxy.ts';

/** A short answer, such as a token. */
export interface ShortAnswer {
  status: number;
  text: string;
}

/** How a source of credentials is asked; it needs no connection that stays open. */
export type AskOnce = (
  request: Omit<HttpRequest, 'body'> & { body?: string },
  timeoutMs?: number,
) => Promise<ShortAnswer>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Follows no redirect: what it asks with, and what it gets, are credentials. */
export function createAskOnce(proxy: ProxyEnv): AskOnce {
  return async ({ body = '', ...request }, timeoutMs = TIMEOUT_MS) => {
    const client = createHttpClient({ origin: request.url, proxy: proxyFor(request.url, proxy) });
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await client.post({ ...request, body: Buffer.from(body), isSigned: true }, signal);
      const chunks: Buffer[] = [];
      let size = 0;
      for (let chunk = await answer.read(); chunk && size < MAX_BYTES; chunk = await answer.read()) {
        chunks.push(chunk);
        size += chunk.length;
      }
      answer.destroy();
      return { status: answer.status, text: Buffer.concat(chunks).toString('utf8') };
    } finally {
      client.close();
    }
  };
}
