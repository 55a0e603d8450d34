import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../config/file-lock.ts';
import type { FetchLike } from '../mcp/fetch-like.ts';
import { authorizedFetch } from '../mcp/oauth-fetch.ts';
import { type AuthStore, createServerAuth, type SignedIn } from '../mcp/oauth-tokens.ts';
import { isObject, stringField, tryParseJson } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { replaceFile } from '../util/replace-file.ts';
import { HeddleError } from '../wire/errors.ts';

export interface McpAuthOptions {
  /** Null: there is no home, so nobody has signed in. */
  configHome: string | null;
  fetch: FetchLike;
  now(): number;
  /** Told of every token before it is used. */
  onSecrets(secrets: readonly string[]): void;
  /** Told once of every wider scope that the server asks for. */
  onWiderScope?(message: string): void;
}

/** Requests to a remote server, with the tokens of whoever has signed in to it. */
export function authorizedRequests(
  { name, url }: { name: string; url: string },
  { configHome, fetch, now, onSecrets, onWiderScope }: McpAuthOptions,
): FetchLike {
  if (configHome === null) return fetch;
  const auth = createServerAuth({ serverUrl: url, store: openAuthStore(configHome, url), fetch, now, onSecrets });
  return authorizedFetch({
    serverName: name,
    serverUrl: url,
    auth,
    fetch,
    ...(onWiderScope && { onWiderScope }),
  });
}

/** Longer than a lock that is left behind lasts. */
const WAIT_MS = 15_000;
const PAUSE_MS = 20;

/** The sign-in to one server, in a file of its own that only the user can read (ruling G8). */
export function openAuthStore(configHome: string, serverUrl: string): AuthStore {
  const path = authFile(configHome, serverUrl);
  return {
    read() {
      const stored = readSignedIn(path);
      return stored?.serverUrl === serverUrl ? stored : null;
    },
    async write(next) {
      if (next === null) return rm(path, { force: true });
      const text = `${JSON.stringify({ version: 1, ...next }, null, 2)}\n`;
      await replaceFile(path, (temporary) => writeFile(temporary, text, { mode: 0o600, flag: 'wx' }));
    },
    async locked(work) {
      makeDirectory(dirname(path), 0o700);
      const deadline = Date.now() + WAIT_MS;
      let lock = tryLock(`${path}.lock`);
      for (; !lock; lock = tryLock(`${path}.lock`)) {
        if (Date.now() > deadline) throw new HeddleError('other', `${path}.lock is held by another process`);
        await sleep(PAUSE_MS);
      }
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}

function authFile(configHome: string, serverUrl: string): string {
  const hash = createHash('sha256').update(serverUrl).digest('hex').slice(0, 32);
  return join(configHome, 'mcp-auth', `${hash}.json`);
}

/** Not with the reader of settings: its errors show what stands in a file. One that is broken holds no sign-in. */
function readSignedIn(path: string): SignedIn | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const value = tryParseJson(text);
  return isSignedIn(value) ? value : null;
}

function isSignedIn(value: unknown): value is SignedIn {
  if (!isObject(value) || !isObject(value.client)) return false;
  const isText = (key: string) => stringField(value, key) !== undefined;
  const isTextIfAny = (key: string) => value[key] === undefined || isText(key);
  return (
    ['serverUrl', 'authorizationServer', 'accessToken'].every(isText) &&
    ['refreshToken', 'resource', 'scope', 'askedScope', 'wantedScope'].every(isTextIfAny) &&
    (value.expiresAt === undefined || typeof value.expiresAt === 'number') &&
    (value.grant === undefined || value.grant === 'client_credentials') &&
    stringField(value.client, 'client_id') !== undefined
  );
}
