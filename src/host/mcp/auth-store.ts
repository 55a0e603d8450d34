import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tryLock, whenFree } from '../../config/file-lock.ts';
import { authorizedFetch } from '../../mcp/oauth/authorized-fetch.ts';
import type { SignedIn } from '../../mcp/oauth/signed-in.ts';
import { type AuthStore, createServerAuth } from '../../mcp/oauth/tokens.ts';
import type { FetchLike } from '../../mcp/remote/fetch-like.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';

export interface McpAuthOptions {
  /** Null: there is no config home, so there are no tokens. */
  configHome: string | null;
  fetch: FetchLike;
  now(): number;
  /** Called with every token before it is used. */
  onSecrets(secrets: readonly string[]): void;
  /** Called once for every wider scope that the server asks for. */
  onWiderScope?(message: string): void;
}

/** Requests to a remote server, with the tokens of the user who signed in to it. */
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

/** The sign-in to one server, in its own file that only the user can read. */
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
      await replacePrivateText(path, text);
    },
    async locked(work) {
      makeDirectory(dirname(path), 0o700);
      const take = () => tryLock(`${path}.lock`);
      const lock = await whenFree(path, take, (message) => new HeddleError('other', message));
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

const MAX_BYTES = 1024 * 1024;

/** Does not use the reader of settings, whose errors quote the file. A broken file counts as no sign-in. */
function readSignedIn(path: string): SignedIn | null {
  const value = tryParseJson(smallText(path, MAX_BYTES) ?? '');
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
