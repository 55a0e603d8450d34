import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HeddleError } from '../../wire/errors.ts';
import type { Scope, TokenInfo, Tokens } from '../ports/tokens.ts';
import { RateLimit } from './rate-limit.ts';

export interface GateOptions {
  tokens: Tokens;
  /** Names besides those of the loopback interface under which the server is reached, without a port. */
  hosts: readonly string[];
  /** The origins of pages that may use the server. */
  origins: readonly string[];
  now: () => number;
  /** Requests per second and token, and how many may come at once. */
  rate: { perSecond: number; burst: number };
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Wrong tokens that an address may try per second, and at once. */
const FAILURES = { perSecond: 0.2, burst: 10 };

/** Decides who comes in, before anything else of a request is looked at: host, origin, token, scope, rate. */
export class Gatekeeper {
  readonly #options: GateOptions;
  readonly #requests: RateLimit;
  readonly #failures: RateLimit;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#requests = new RateLimit(options.rate, options.now);
    this.#failures = new RateLimit(FAILURES, options.now);
  }

  /** Throws `wrong_host` and `wrong_origin`. A page of another origin, or one that uses a name of its own, gets no further. */
  checkSource({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
    const name = host === undefined ? '' : host.replace(/:\d+$/, '').toLowerCase();
    if (!LOOPBACK.has(name) && !this.#options.hosts.includes(name)) throw wrongHost();
    if (origin !== undefined && !this.isOwnOrigin(origin, host)) throw wrongOrigin();
    // Browsers leave out the origin where a page only embeds something.
    if (site === 'cross-site' && origin === undefined) throw wrongOrigin();
  }

  /** Whether a page of this origin may read answers. `null` never is. */
  isOwnOrigin(origin: string, host: string | undefined): boolean {
    if (this.#options.origins.includes(origin)) return true;
    return origin === `http://${host}` || origin === `https://${host}`;
  }

  /** Throws `not_authenticated`, `not_permitted` and `quota_exceeded`. */
  async admit(request: IncomingMessage, scope: Scope | 'token', sessionId: string | null): Promise<TokenInfo> {
    const token = await this.authenticate(request.headers.authorization, addressOf(request));
    checkScope(token, scope, sessionId);
    const waitMs = this.#requests.take(token.id);
    if (waitMs > 0) throw tooMany('requests of this token', waitMs);
    return token;
  }

  /** Whether a token that was let in still would be: tokens are revoked, and expire. */
  async isStillValid({ id, tenant }: TokenInfo): Promise<boolean> {
    const { tokens, now } = this.#options;
    const found = (await tokens.list(tenant)).find((each) => each.id === id);
    return found !== undefined && (found.expiresAt === null || found.expiresAt > now());
  }

  /** Throws `not_authenticated` for a token that is none any more. */
  async checkStillValid(token: TokenInfo): Promise<void> {
    if (!(await this.isStillValid(token))) throw notAuthenticated();
  }

  async authenticate(authorization: string | undefined, address: string): Promise<TokenInfo> {
    const [, secret] = /^Bearer ([\w.~+/=-]{1,512})$/i.exec(authorization ?? '') ?? [];
    const token = secret === undefined ? null : await this.#options.tokens.verify(secret);
    // A right token is let in whatever others at the address try: behind a proxy all of them have the same one.
    if (token) return token;
    const waitMs = this.#failures.peek(address);
    if (waitMs > 0) throw tooMany('wrong tokens from this address', waitMs);
    if (secret !== undefined) this.#failures.take(address);
    throw notAuthenticated();
  }
}

/** Throws `not_permitted`; `session_not_found` for a session that the token is not for. */
export function checkScope(token: TokenInfo, scope: Scope | 'token', sessionId: string | null): void {
  const { scopes, sessionId: only } = token;
  if (only !== null && sessionId !== null && sessionId !== only) throw noSession(sessionId);
  // What is about all sessions is not for a token of one, whatever else it may do.
  if (only !== null && sessionId === null && isAboutAll(scope)) throw onlyOneSession();
  if (scope === 'token' || scopes.includes('admin') || scopes.includes(scope)) return;
  throw new HeddleError('not_permitted', `The token does not have the scope ${scope}: use one that does`, {
    facts: { scope },
  });
}

function isAboutAll(scope: Scope | 'token'): boolean {
  return scope === 'admin' || scope === 'home:read' || scope === 'home:write';
}

function onlyOneSession(): HeddleError {
  return new HeddleError('not_permitted', 'The token is for one session: use another one for what is about all');
}

/** The same answer for a session that is missing, and for one of another tenant. */
export function noSession(id: string): HeddleError {
  const message = `There is no session ${id}: GET /v1/sessions lists them, POST /v1/sessions makes one`;
  return new HeddleError('session_not_found', message, { facts: { id } });
}

export function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? 'socket';
}

function notAuthenticated(): HeddleError {
  const message =
    'A token is needed: send "Authorization: Bearer TOKEN". `heddle serve` names the file with the first one, ' +
    '`heddle serve token create` makes more';
  return new HeddleError('not_authenticated', message);
}

function wrongHost(): HeddleError {
  const message =
    'The server is not reached under this name: use the address that it prints, or start it with --host NAME';
  return new HeddleError('wrong_host', message);
}

function wrongOrigin(): HeddleError {
  const message = 'Pages of this origin may not use the server: start it with --origin ORIGIN to let them';
  return new HeddleError('wrong_origin', message);
}

function tooMany(what: string, retryAfterMs: number): HeddleError {
  return new HeddleError('quota_exceeded', `Too many ${what}: wait a moment`, { facts: { quota: what, retryAfterMs } });
}
