import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../config/file-lock.ts';
import { originOf as layerWith } from '../config/merge.ts';
import { nameOf } from '../config/settings.ts';
import { anthropicSettings } from '../model/anthropic-env.ts';
import { missingOpenAiKey, openAiSettings } from '../model/openai-env.ts';
import { recordingNamed, resolveModel } from '../model/resolve.ts';
import { isObject, type JsonObject, tryParseJson } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { replaceFile } from '../util/replace-file.ts';
import { systemReason } from '../util/system-reason.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import type { KeyProvider } from './models.ts';
import { openPlace } from './place.ts';
import { KEY_PROVIDERS, keyFile, originOf, readStoredKeys, type StoredKey } from './stored-keys.ts';

/** How a run would prove to a provider who it is. */
export interface ProviderAuth {
  provider: KeyProvider;
  /** Whether it can be asked: there is a credential, or its server needs none. */
  isReady: boolean;
  method: 'api_key' | 'oauth_token' | 'api_key_helper' | 'none';
  /** A variable, `apiKeyHelper`, or `stored`; null: there is none. */
  source: string | null;
  /** The server that would be asked; null when its address is no URL. */
  origin: string | null;
  /** The key that is stored for that server, whether or not it is the one that counts. */
  stored: StoredKey | null;
}

/** What a run in this directory would use. */
export interface AuthView {
  configHome: string;
  /** As the model would be asked for; null for a recording. */
  model: string | null;
  /** Of that model; null: it is built in, or a recording, and needs no credential. */
  provider: KeyProvider | null;
  providers: readonly ProviderAuth[];
  /** The file that names the user's `apiKeyHelper`. */
  helper: string | null;
  /** Why the stored keys cannot be read. */
  problem: string | null;
}

/** Nobody is asked, and no helper is run. Rejects with `invalid_settings`, `invalid_option` and `not_supported`. */
export async function viewAuth(engine: Engine, config: RunConfig): Promise<AuthView> {
  const { env, config: launch, configuration } = await openPlace(engine, { config });
  const configHome = engine.homeOf({ config });
  const layer = layerWith(['apiKeyHelper'], configuration.loaded.layers);
  const helper = layer ? nameOf(layer) : null;
  const recording = recordingNamed(launch.model, env);
  const resolved = recording === null ? resolveModel(launch.model, env) : null;
  const provider = resolved && resolved.provider !== 'offline' ? resolved.provider : null;
  const { keys, problem } = readStoredKeys(configHome);
  const providers = KEY_PROVIDERS.map((each) => providerAuth(each, { env, hasHelper: helper !== null, keys }));
  return { configHome, model: resolved?.id ?? null, provider, providers, helper, problem };
}

/** How it stands with one provider. The order of the sources is that of a run. */
export function providerAuth(
  provider: KeyProvider,
  { env, hasHelper, keys }: { env: Env; hasHelper: boolean; keys: readonly StoredKey[] },
): ProviderAuth {
  const origin = originOf(addressOf(provider, env));
  const stored = keys.find((each) => each.provider === provider && each.origin === origin) ?? null;
  const found = sourceOf(provider, { env, hasHelper, isStored: stored !== null });
  const isFree = provider === 'openai' && missingOpenAiKey(env) === undefined;
  return { provider, isReady: found.source !== null || isFree, ...found, origin, stored };
}

export function addressOf(provider: KeyProvider, env: Env): string {
  switch (provider) {
    case 'anthropic':
      return anthropicSettings(env).baseUrl;
    case 'openai':
      return openAiSettings(env).baseUrl;
    default:
      return provider satisfies never;
  }
}

function sourceOf(
  provider: KeyProvider,
  { env, hasHelper, isStored }: { env: Env; hasHelper: boolean; isStored: boolean },
): Pick<ProviderAuth, 'method' | 'source'> {
  const variable = provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
  if (env[variable]?.trim()) return { method: 'api_key', source: variable };
  if (provider === 'anthropic' && env.ANTHROPIC_AUTH_TOKEN?.trim()) {
    return { method: 'oauth_token', source: 'ANTHROPIC_AUTH_TOKEN' };
  }
  if (provider === 'anthropic' && hasHelper) return { method: 'api_key_helper', source: 'apiKeyHelper' };
  return isStored ? { method: 'api_key', source: 'stored' } : { method: 'none', source: null };
}

/** Stores a key for the server at its origin, in the place of one that was stored for it. Resolves with the file. */
export async function storeKey(configHome: string, key: StoredKey): Promise<string> {
  await changeKeys(configHome, (keys) => [
    ...keys.filter(({ provider, origin }) => provider !== key.provider || origin !== key.origin),
    { ...key },
  ]);
  return keyFile(configHome);
}

/** Removes the stored keys of a provider, or all of them. Resolves with those that are gone. */
export async function removeKeys(configHome: string, provider: KeyProvider | null): Promise<StoredKey[]> {
  const isGone = (each: JsonObject) => provider === null || each.provider === provider;
  const gone = readStoredKeys(configHome).keys.filter((key) => isGone({ ...key }));
  await changeKeys(configHome, (keys) => keys.filter((each) => !isGone(each)));
  return gone;
}

/** Longer than a lock that is left behind lasts. */
const WAIT_MS = 15_000;
const PAUSE_MS = 20;

/** Under a lock, whole or not at all. What cannot be read is no key; an empty list leaves no file. */
async function changeKeys(configHome: string, change: (keys: readonly JsonObject[]) => JsonObject[]): Promise<void> {
  const path = keyFile(configHome);
  try {
    makeDirectory(dirname(path), 0o700);
    const deadline = Date.now() + WAIT_MS;
    let lock = tryLock(`${path}.lock`);
    for (; !lock; lock = tryLock(`${path}.lock`)) {
      if (Date.now() > deadline) throw new Error(`${path}.lock is held by another process`);
      await sleep(PAUSE_MS);
    }
    try {
      const keys = change(readEntries(path));
      if (keys.length === 0) await rm(path, { force: true });
      else await writeEntries(path, keys);
    } finally {
      lock.release();
    }
  } catch (cause) {
    throw new HeddleError(
      'invalid_option',
      `${path} cannot be written: ${systemReason(cause)}. HEDDLE_HOME names another config home`,
      { cause },
    );
  }
}

/** All of them, also those of providers that only another version knows. */
function readEntries(path: string): JsonObject[] {
  try {
    const value = tryParseJson(readFileSync(path, 'utf8'));
    return isObject(value) && Array.isArray(value.keys) ? value.keys.filter(isObject) : [];
  } catch {
    return [];
  }
}

async function writeEntries(path: string, keys: readonly JsonObject[]): Promise<void> {
  const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
  await replaceFile(path, (temporary) => writeFile(temporary, text, { mode: 0o600, flag: 'wx' }));
}

/** Where transcripts are, as hosts that look for them are told. */
export function projectsFolder(configHome: string): string {
  return join(configHome, 'projects');
}
