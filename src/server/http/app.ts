import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError, toHeddleError } from '../../wire/errors.ts';
import { firstIssue } from '../../wire/schema.ts';
import type { TokenInfo } from '../ports/tokens.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { MAX_BODY, MAX_OPEN_BODY, readJson } from './read-body.ts';
import type { Answer, AnySchema, Call, Route } from './route.ts';
import { errorBody, retryAfter, statusOf } from './statuses.ts';

export type ServerApp = Hono<{ Bindings: HttpBindings }>;
type ServerContext = Context<{ Bindings: HttpBindings }>;

export interface AppOptions {
  routes: readonly Route[];
  gate: Gatekeeper;
  newId: () => string;
  log: Logger;
  /** Called after each answer; nothing of it is content. */
  answered?: (about: AnsweredRequest) => void;
}

/** A request that was answered, for logs and figures. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** The path of the route, without the ids of the request. */
  route: string;
  status: number;
  ms: number;
  /** The error code, where it was refused. */
  code: string | null;
  /** The id of the token; null: there was none. */
  token: string | null;
}

/** What every answer says: nothing of it is kept, guessed or framed. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
/** For pages, a route may say something else. */
const NO_CONTENT = "default-src 'none'; frame-ancestors 'none'";

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, last-event-id, prefer',
  'access-control-max-age': '600',
};

/** The routes as an app. Each request is checked in the same order: host, origin, token, scope, rate, body, schemas. */
export function createApp({ routes, gate, newId, log, answered }: AppOptions): ServerApp {
  const app: ServerApp = new Hono<{ Bindings: HttpBindings }>({ strict: true });
  const serve = async (
    context: ServerContext,
    work: (requestId: string, noteToken: (token: string) => void) => Promise<Answer>,
    path = '*',
  ) => {
    const requestId = newId();
    const request = context.env.incoming;
    const begin = performance.now();
    let token: string | null = null;
    const told = (status: number, code: string | null) => {
      const about = { requestId, method: request.method ?? '', route: path, status, code, token };
      answered?.({ ...about, ms: performance.now() - begin });
    };
    try {
      gate.checkSource(request.headers);
      const answer = await work(requestId, (id) => {
        token = id;
      });
      told('stream' in answer ? 200 : (answer.status ?? 200), null);
      return respond(context, answer, gate);
    } catch (thrown) {
      const error = toHeddleError(thrown);
      const status = statusOf(error);
      told(status, error.code);
      if (status === 500) log('error', `${request.method} ${pathOf(request)}: ${error.message}`, { requestId });
      return refuse(context, error, requestId, gate);
    }
  };
  for (const row of routes) {
    app.on(row.method, honoPath(row.path), (context) =>
      serve(
        context,
        async (requestId, noteToken) => {
          const call = await callOf(context, row, { gate, requestId });
          if (call.token) noteToken(call.token.id);
          return endingWithToken(await row.handle(call), call.token, gate);
        },
        row.path,
      ),
    );
  }
  // Pages ask before they send a token. Who may not, gets no `access-control-allow-origin`.
  app.options('*', (context) => serve(context, async () => ({ status: 204, headers: PREFLIGHT, body: null })));
  app.all('*', (context) =>
    serve(context, async () => {
      // Who has no token does not learn which routes there are.
      await gate.admit(context.env.incoming, 'token', null);
      const methods = methodsAt(routes, pathOf(context.env.incoming));
      throw methods.length > 0 ? wrongMethod(methods) : noRoute();
    }),
  );
  return app;
}

async function callOf(
  context: ServerContext,
  row: Route,
  { gate, requestId }: { gate: Gatekeeper; requestId: string },
): Promise<Call> {
  const request = context.env.incoming;
  const given = context.req.param() as Record<string, string>;
  // Only routes of sessions name theirs; `id` elsewhere is that of another thing.
  const sessionId = row.path.includes('/sessions/{id}') ? (given.id ?? null) : null;
  const token: TokenInfo | null = row.scope === 'none' ? null : await gate.admit(request, row.scope, sessionId);
  const params = checked(row.params, given, row.path.includes('/sessions/{id}') ? 'session' : 'path');
  const query = checked(row.query, context.req.query(), 'query');
  const raw = row.body ? await readJson(request, row.scope === 'none' ? MAX_OPEN_BODY : MAX_BODY) : undefined;
  if (row.body && raw === undefined && !row.isBodyOptional)
    throw new HeddleError('invalid_request', 'A body is missing');
  const body = raw === undefined ? undefined : checked(row.body, raw, 'body');
  const headers = request.headers as Record<string, string | undefined>;
  return { params, query, body, token, headers, signal: goneSignal(context), requestId };
}

const LOOK_MS = 20_000;

/** A stream that lasts ends soon after its token is revoked or has expired. */
function endingWithToken(answer: Answer, token: TokenInfo | null, gate: Gatekeeper): Answer {
  if (!('stream' in answer) || token === null) return answer;
  return {
    stream(request, response) {
      const look = setInterval(() => {
        gate.isStillValid(token).then(
          (is) => is || response.destroy(),
          () => {}, // the next look tells
        );
      }, LOOK_MS);
      response.once('close', () => clearInterval(look));
      answer.stream(request, response);
    },
  };
}

function checked(schema: AnySchema | undefined, value: unknown, where: 'session' | 'path' | 'query' | 'body'): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // An id that is none names nothing.
  if (where === 'session' || where === 'path') throw new HeddleError('not_found', 'Nothing has this id');
  throw new HeddleError('invalid_request', `The ${where} is not understood: ${firstIssue(parsed.error)}`);
}

function goneSignal({ env }: ServerContext): AbortSignal {
  const gone = new AbortController();
  env.outgoing.once('close', () => gone.abort());
  return gone.signal;
}

function respond(context: ServerContext, answer: Answer, gate: Gatekeeper): Response {
  if ('stream' in answer) {
    const { incoming, outgoing } = context.env;
    for (const [name, value] of Object.entries(ownHeaders(context, gate))) outgoing.setHeader(name, value);
    answer.stream(incoming, outgoing);
    return RESPONSE_ALREADY_SENT;
  }
  const isText = 'text' in answer;
  const type = isText ? answer.type : 'application/json; charset=utf-8';
  const { status = 200 } = answer;
  const text = isText ? answer.text : status === 204 ? null : JSON.stringify(answer.body);
  return new Response(text, {
    status,
    headers: { ...ownHeaders(context, gate), 'content-type': type, ...answer.headers },
  });
}

function refuse(context: ServerContext, error: HeddleError, requestId: string, gate: Gatekeeper): Response {
  const { incoming, outgoing } = context.env;
  const status = statusOf(error);
  const wait = retryAfter(error);
  if (outgoing.headersSent) {
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  const headers = {
    ...ownHeaders(context, gate),
    'content-type': 'application/json; charset=utf-8',
    ...(wait !== null && { 'retry-after': wait }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    // The rest of a body that is refused is not read.
    ...(!incoming.complete && { connection: 'close' }),
  };
  return new Response(JSON.stringify(errorBody(error, requestId)), { status, headers });
}

/** CORS only for the origins that were named, and never with `*`. */
function ownHeaders(context: ServerContext, gate: Gatekeeper): Record<string, string> {
  const { origin, host } = context.env.incoming.headers;
  const mayRead = origin !== undefined && gate.isOwnOrigin(origin, host);
  return {
    ...HEADERS,
    'content-security-policy': NO_CONTENT,
    vary: 'Origin',
    ...(mayRead && { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'retry-after' }),
  };
}

/** `/v1/sessions/{id}` as the router writes it. */
const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?')[0] ?? '/';
}

function methodsAt(routes: readonly Route[], path: string): string[] {
  const fits = (row: Route) => new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return routes.filter(fits).map(({ method }) => method);
}

function wrongMethod(methods: readonly string[]): HeddleError {
  const message = `Nothing answers this method here: use ${methods.join(' or ')}`;
  return new HeddleError('not_found', message, { facts: { methods, status: 405 } });
}

function noRoute(): HeddleError {
  return new HeddleError('not_found', 'There is nothing at this path: GET /openapi.json lists what there is');
}
