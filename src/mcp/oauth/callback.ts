import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { raceAbort } from '../../util/abort.ts';
import { errorCode } from '../../util/error-code.ts';
import { signInFailed } from './auth-requests.ts';

/** The parameters with which the authorization server sends the browser back. */
export interface CallbackAnswer {
  code: string;
  /** The issuer of the answer (RFC 9207), if the server names it. */
  issuer?: string;
}

/** Waits on this machine for the browser to return from a sign-in. */
export interface CallbackListener {
  redirectUri: string;
  /**
   * Resolves with the answer that carries this state; other answers are refused and do not end the wait. Rejects with
   * `sign_in_failed` when that answer is a refusal, and with the signal's reason.
   */
  answer(state: string, signal: AbortSignal): Promise<CallbackAnswer>;
  close(): Promise<void>;
}

const PATH = '/callback';
const MAX_TEXT = 300;

/** Listens on 127.0.0.1 only; port 0 is any free port. Rejects with `sign_in_failed` when the port is taken. */
export async function listenForCallback(port = 0): Promise<CallbackListener> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    const isTaken = errorCode(cause) === 'EADDRINUSE';
    throw signInFailed(isTaken ? 'port_in_use' : 'failed', `Port ${port} of 127.0.0.1 cannot be listened on`, cause);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    redirectUri: `http://${host}${PATH}`,
    async answer(state, signal) {
      const answered = new Promise<CallbackAnswer>((resolve, reject) => {
        server.on('request', (request, response) => {
          const given = answerIn(request, host, state);
          if (given === null) return respond(response, 404, 'There is nothing here.');
          if (given === 'foreign') return respond(response, 400, 'This is not the sign-in that was begun.');
          if ('code' in given) respond(response, 200, 'You are signed in. This window can be closed.');
          else respond(response, 200, 'The sign-in was refused. This window can be closed.');
          if ('code' in given) resolve(given);
          else reject(signInFailed('refused', `The sign-in was refused: ${given.refusal}`));
        });
      });
      return raceAbort(answered, signal);
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Null for a request that is not an answer, `foreign` for an answer to another sign-in. */
function answerIn(
  { method, url = '/', headers }: IncomingMessage,
  host: string,
  state: string,
): CallbackAnswer | { refusal: string } | 'foreign' | null {
  // Another site may point its own host name here; only the published address is accepted.
  if (method !== 'GET' || headers.host !== host) return null;
  // Some paths, such as `//`, are not valid addresses, and any program that reaches this port may request them.
  if (!URL.canParse(url, `http://${host}`)) return null;
  const { pathname, searchParams } = new URL(url, `http://${host}`);
  if (pathname !== PATH) return null;
  if (!isSame(searchParams.get('state') ?? '', state)) return 'foreign';
  const refusal = searchParams.get('error');
  if (refusal !== null) {
    return { refusal: `${refusal} ${searchParams.get('error_description') ?? ''}`.trim().slice(0, MAX_TEXT) };
  }
  const code = searchParams.get('code');
  const issuer = searchParams.get('iss');
  return code ? { code, ...(issuer !== null && { issuer }) } : 'foreign';
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The page repeats nothing from the request, loads nothing and is not cached: the address contains the code. */
function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
