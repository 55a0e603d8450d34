import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../config/file-lock.ts';
import { originOf as layerWith } from '../config/settings/merge.ts';
import { nameOf } from '../config/settings/settings.ts';
import type { Engine } from '../host/engine/engine.ts';
import type { KeyProvider } from '../host/engine/engine-models.ts';
import type { Env } from '../host/engine/environment.ts';
import { KEY_PROVIDERS, keyFile, originOf, readStoredKeys, type StoredKey } from '../host/engine/stored-keys.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import { anthropicSettings } from '../model/anthropic/anthropic-env.ts';
import { namedServer, SERVER_NAMES } from '../model/named-servers.ts';
import { missingOpenAiKey, openAiSettings } from '../model/openai/openai-env.ts';
import { userProviders } from '../model/provider-names.ts';
import { recordingNamed, resolveModel } from '../model/resolve.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import { replacePrivateText } from '../util/files/replace-file.ts';
import { readSmallFile } from '../util/files/small-file.ts';
import { systemReason } from '../util/files/system-reason.ts';
import { isObject, type JsonObject, tryParseJson } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { type ProviderView, viewProvider } from './provider-view.ts';

/** How a run would authenticate to a provider. */
export interface ProviderAuth {
  provider: KeyProvider;
  /** Whether a run can call it: there is a credential, or its server needs none. */
  isReady: boolean;
  method: 'api_key' | 'oauth_token' | 'api_key_helper' | 'none';
  /** A variable, `apiKeyHelper`, or `stored`; null: there is no credential. */
  source: string | null;
  /** The server that a run would call; null when its address is not a URL. */
  origin: string | null;
  /** The key that is stored for that server, whether or not a run would use it. */
  stored: StoredKey | null;
}

/** What a run in this directory would use. */
export interface AuthView {
  configHome: string;
  /** The name by which the model would be requested; null for a recording. */
  model: string | null;
  /** The provider of that model, where its key can be stored here; null: see `elsewhere`. */
  provider: KeyProvider | null;
  /** The cloud or named server of that model; null: `provider` has it, or it is built in, or a recording. */
  elsewhere: ProviderView | null;
  providers: readonly ProviderAuth[];
  /** The file that names the user's `apiKeyHelper`. */
  helper: string | null;
  /** Why the stored keys cannot be read. */
  problem: string | null;
}

/** Sends no request and runs no helper. Rejects with `invalid_settings`, `invalid_option` and `not_supported`. */
export async function viewAuth(engine: Engine, config: RunConfig): Promise<AuthView> {
  const { env, config: launch, configuration } = await openLaunchContext(engine, { config });
  const configHome = engine.homeOf({ config });
  const layer = layerWith(['apiKeyHelper'], configuration.loaded.layers);
  const helper = layer ? nameOf(layer) : null;
  const recording = recordingNamed(launch.model, env);
  const resolved = recording === null ? resolveModel(launch.model, env) : null;
  const provider = KEY_PROVIDERS.find((each) => each === resolved?.provider) ?? null;
  const isElsewhere = resolved !== null && provider === null && resolved.provider !== 'offline';
  const elsewhere = isElsewhere ? await viewProvider(engine, resolved.provider, { env, configHome }) : null;
  const { keys, problem } = readStoredKeys(configHome);
  const providers = KEY_PROVIDERS.map((each) => providerAuth(each, { env, hasHelper: helper !== null, keys }));
  return { configHome, model: resolved?.id ?? null, provider, elsewhere, providers, helper, problem };
}

/** The authentication state of one provider. The sources have the same order as in a run. */
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

/** Where a named server is that takes a key; null for any other name. Throws `invalid_option` for a faulty row. */
export function keyedAddress(name: string, env: Env): string | null {
  const server = namedServer(name, env);
  return server && server.keyVariables.length > 0 ? server.baseUrl : null;
}

/** The variables that may hold the key of a named server. */
export function keyVariablesOf(name: string, env: Env): readonly string[] {
  return namedServer(name, env)?.keyVariables ?? [];
}

/** The named servers that take a key: built in, or the user's own. */
export function keyedServers(env: Env): string[] {
  const names = [...SERVER_NAMES, ...Object.keys(userProviders(env))].filter((name) => name !== 'openai-responses');
  return names.filter((name) => keyedAddress(name, env) !== null);
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

/**
 * Stores a key for the server at its origin, replacing one that was stored for it. Resolves with the path of the file.
 */
export async function storeKey(configHome: string, key: StoredKey): Promise<string> {
  await changeKeys(configHome, (keys) => [
    ...keys.filter(({ provider, origin }) => provider !== key.provider || origin !== key.origin),
    { ...key },
  ]);
  return keyFile(configHome);
}

/** Removes the stored keys of a provider, or all of them. Resolves with the removed keys. */
export async function removeKeys(configHome: string, provider: string | null): Promise<StoredKey[]> {
  const isGone = (each: JsonObject) => provider === null || each.provider === provider;
  const gone = readStoredKeys(configHome).keys.filter((key) => isGone({ ...key }));
  await changeKeys(configHome, (keys) => keys.filter((each) => !isGone(each)));
  return gone;
}

/** Longer than an abandoned lock lasts. */
const WAIT_MS = 15_000;
const PAUSE_MS = 20;

/** Changes the file under a lock, atomically. Unreadable entries are dropped; an empty list removes the file. */
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

const MAX_BYTES = 1024 * 1024;

/** All entries, also those of providers that only another version knows. */
function readEntries(path: string): JsonObject[] {
  try {
    const value = tryParseJson(readSmallFile(path, MAX_BYTES).toString('utf8'));
    return isObject(value) && Array.isArray(value.keys) ? value.keys.filter(isObject) : [];
  } catch {
    return [];
  }
}

async function writeEntries(path: string, keys: readonly JsonObject[]): Promise<void> {
  const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
  await replacePrivateText(path, text);
}

/** The folder of transcripts, as reported to hosts that look for them. */
export function projectsFolder(configHome: string): string {
  return join(configHome, 'projects');
}
