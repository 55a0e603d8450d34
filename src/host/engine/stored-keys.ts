import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { isFilled, isObject, stringField, tryParseJson } from '../../util/json.ts';
import { KEY_FILE, type KeyHelper, type KeyProvider } from './engine-models.ts';

/** The APIs that a key can be stored for, besides named servers. */
export const KEY_PROVIDERS: readonly KeyProvider[] = ['anthropic', 'openai'];

/** An API key that `heddle auth login` has stored. */
export interface StoredKey {
  /** `anthropic`, `openai`, or the name of a server that stands before its models. */
  provider: string;
  /** The only origin that the key may be sent to, such as `https://api.anthropic.com`. */
  origin: string;
  apiKey: string;
  /** When it was stored, as ISO 8601. */
  storedAt?: string;
}

export interface StoredKeys {
  keys: readonly StoredKey[];
  /** Why the file cannot be used; never quotes the file. */
  problem: string | null;
}

/** The file of stored keys in the config home. Only the user can read it. */
export function keyFile(configHome: string): string {
  return join(configHome, KEY_FILE);
}

const MAX_BYTES = 256 * 1024;

/** Never throws. Skips what is no key; `heddle auth` keeps it in the file. */
export function readStoredKeys(configHome: string | null): StoredKeys {
  if (configHome === null) return { keys: [], problem: null };
  const path = keyFile(configHome);
  const unusable = (why: string) => ({
    keys: [],
    problem: `${path} cannot be used (${why}): heddle auth login stores the key again`,
  });
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) return unusable('it is no regular file of a sensible size');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { keys: [], problem: null } : unusable(code ?? 'unreadable');
  }
  const value = tryParseJson(text);
  if (!isObject(value) || !Array.isArray(value.keys)) return unusable('it is not what heddle auth login writes');
  return { keys: value.keys.filter(isStoredKey), problem: null };
}

function isStoredKey(value: unknown): value is StoredKey {
  if (!isObject(value)) return false;
  const isText = (key: string) => stringField(value, key)?.trim();
  return isFilled(value.provider) && !!isText('origin') && !!isText('apiKey');
}

/**
 * The stored key for the server at an address; undefined when none is stored for it. The file is read again for each
 * request, so that a replaced or removed key takes effect while a session runs.
 */
export function storedKeyFor(
  configHome: string | null,
  { provider, address }: { provider: string; address: string },
): KeyHelper | undefined {
  const origin = originOf(address);
  const find = () =>
    readStoredKeys(configHome).keys.find((each) => each.provider === provider && each.origin === origin);
  if (origin === null || !find()) return undefined;
  return {
    id: `stored ${configHome} ${provider} ${origin}`,
    async credential() {
      const key = find();
      if (key) return { apiKey: key.apiKey };
      throw new Error(`the stored key for ${origin} is gone: heddle auth login stores one`);
    },
  };
}

/** A sentence for a user who has stored a key, but for a server at another address; empty otherwise. */
export function storedElsewhere(
  configHome: string | null,
  { provider, address }: { provider: string; address: string },
): string {
  const origin = originOf(address);
  const others = readStoredKeys(configHome).keys.filter((each) => each.provider === provider && each.origin !== origin);
  if (others.length === 0 || origin === null) return '';
  const origins = others.map((each) => each.origin).join(' and ');
  return `\n  A key is stored for ${origins}, and is sent nowhere else: heddle auth login stores one for ${origin}.`;
}

/** Scheme, host and port; null for an invalid address. */
export function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}
