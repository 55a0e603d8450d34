import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { createEngine } from '../../../src/host/create-engine.ts';
import { createServer, type HeddleServer } from '../../../src/server/create-server.ts';
import { openEmbeddedStore } from '../../../src/server/embedded/embedded-store.ts';
import { LOCAL_TENANT } from '../../../src/server/embedded/file-tokens.ts';
import { homeRoutes } from '../../../src/server/home/home-routes.ts';
import type { Route } from '../../../src/server/http/route.ts';
import { USUAL_MODES } from '../../../src/server/policy/launch-policy.ts';
import { SCOPES, type Scope } from '../../../src/server/ports/tokens.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { type SessionHome, sessionHome } from '../../sessions/session-home.ts';
import { tempDir } from '../../sessions/support.ts';
import { afterTest } from '../../support/after-test.ts';

export interface Asked {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Null: none. Default: one that may do everything. */
  token?: string | null;
}

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export interface HomeServer extends SessionHome {
  url: string;
  token: string;
  server: HeddleServer;
  ask(path: string, asked?: Asked): Promise<Answered>;
  tokenWith(...scopes: Scope[]): Promise<string>;
}

/** A server with the routes of a home, over files of its own. */
export async function homeServer({
  isReadOnly = false,
  more = [],
}: {
  isReadOnly?: boolean;
  more?: readonly Route[];
} = {}): Promise<HomeServer> {
  const place = sessionHome();
  const engine = createEngine({ cwd: '/nonexistent', env: {}, store: createMemoryStore(), log: () => {} });
  const { clock } = engine.runtime;
  const store = await openEmbeddedStore({ folder: tempDir(), clock, log: () => {} });
  const own = { home: place.home, env: process.env, runtime: engine.runtime, tokens: store.tokens, isReadOnly };
  const routes = [...more, ...homeRoutes({ ...own, release: (id) => server.release(id) })];
  const policy = { roots: ['/'], modes: USUAL_MODES, allow: [], defaults: {}, controls: [] };
  const rate = { perSecond: 1000, burst: 10_000 };
  const server: HeddleServer = createServer({ engine, store, policy, routes, rate });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  const tokenWith = async (...scopes: Scope[]) => {
    const made = await store.tokens.create({
      ...{ tenant: LOCAL_TENANT, name: 'test', scopes, sessionId: null, expiresAt: null },
    });
    return made.secret;
  };
  const token = await tokenWith(...SCOPES);
  afterTest(async () => {
    await server.drain(0);
    await store.close();
    await engine.close();
  });
  return { ...place, url, token, server, tokenWith, ask: (path, asked = {}) => ask(url, path, { token, ...asked }) };
}

function ask(url: string, path: string, { method = 'GET', body, headers = {}, token }: Asked): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ hostname, port, method, path },
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
          ...headers,
        },
        agent: false,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) });
        });
      },
    );
    request.on('error', reject);
    request.end(sent);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** All names and contents below a folder. */
export function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(byPath)) {
    hash.update(`${join(name.parentPath, name.name)}\n`);
    if (name.isFile()) hash.update(readFileSync(join(name.parentPath, name.name)));
  }
  return hash.digest('hex');
}

const byPath = (a: { parentPath: string; name: string }, b: { parentPath: string; name: string }) =>
  join(a.parentPath, a.name).localeCompare(join(b.parentPath, b.name));
