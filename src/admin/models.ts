import { connectElsewhere } from '../host/engine/elsewhere.ts';
import type { Engine } from '../host/engine/engine.ts';
import type { Env } from '../host/engine/environment.ts';
import { readStoredKeys } from '../host/engine/stored-keys.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import { type AskOnce, createAskOnce } from '../model/http/ask-once.ts';
import { type ModelChoice, modelChoices } from '../model/model-choices.ts';
import { LOCAL_SERVERS, namedServer, SERVER_NAMES } from '../model/named-servers.ts';
import { CLOUDS, cloudOf, userProviders } from '../model/provider-names.ts';
import { isObject, stringField, tryParseJson } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { providerAuth } from './auth.ts';

/** A provider as a run here would use it. */
export interface ProviderView {
  /** What stands before the names of its models; for Anthropic's API, nothing. */
  name: string;
  isReady: boolean;
  /** What is missing, as a sentence; null: nothing. */
  lacks: string | null;
}

/** A server of models that answers on this machine. */
export interface LocalServerView {
  name: string;
  address: string;
  models: readonly string[];
}

/** The models that can be used here. */
export interface ModelsView {
  names: readonly Pick<ModelChoice, 'value' | 'resolvedModel' | 'description'>[];
  /** The cloud that answers for models without a provider in their name; null: Anthropic's API does. */
  cloud: string | null;
  providers: readonly ProviderView[];
  local: readonly LocalServerView[];
}

/** Asks only servers of this machine, on the loopback interface. Rejects with `invalid_settings` and `invalid_option`. */
export async function viewModels(engine: Engine, config: RunConfig): Promise<ModelsView> {
  const { env, config: launch, configHome, configuration } = await openLaunchContext(engine, { config });
  const { keys } = readStoredKeys(configHome);
  const hasHelper = configuration.settings.apiKeyHelper !== undefined;
  const own = [
    ofKey(
      'anthropic',
      providerAuth('anthropic', { env, hasHelper, keys }).isReady,
      'set ANTHROPIC_API_KEY, or heddle auth login',
    ),
    ofKey('openai', providerAuth('openai', { env, hasHelper, keys }).isReady, 'set OPENAI_API_KEY, or OPENAI_BASE_URL'),
  ];
  const named = [...new Set([...CLOUDS, 'azure', ...SERVER_NAMES, ...Object.keys(userProviders(env))])];
  const remote = named.filter((name) => !LOCAL_SERVERS.includes(name) && name !== 'openai-responses');
  const names = modelChoices(env, launch.model).map(({ value, resolvedModel, description }) => ({
    value,
    description,
    ...(resolvedModel !== undefined && { resolvedModel }),
  }));
  return {
    names,
    cloud: cloudOf(env),
    providers: [...own, ...(await Promise.all(remote.map((name) => providerView(engine, name, env))))],
    local: (await Promise.all(LOCAL_SERVERS.map((name) => localServer(name, env)))).flatMap((found) => found ?? []),
  };
}

function ofKey(name: string, isReady: boolean, advice: string): ProviderView {
  return { name, isReady, lacks: isReady ? null : `needs a key: ${advice}` };
}

async function providerView({ runtime }: Engine, name: string, env: Env): Promise<ProviderView> {
  const context = { commands: undefined, processes: undefined, note: undefined };
  try {
    const found = await connectElsewhere(name, env, { ...context, own: { runtime, userAgent: 'heddle' } });
    const lacks = found instanceof HeddleError ? found.message : null;
    return { name, isReady: lacks === null, lacks };
  } catch (error) {
    return { name, isReady: false, lacks: messageOf(error) };
  }
}

/** Servers of this machine answer at once, or are not there. */
const TIMEOUT_MS = 300;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

async function localServer(name: string, env: Env): Promise<LocalServerView | null> {
  const address = namedServer(name, env)?.baseUrl;
  if (!address || !URL.canParse(address) || !LOOPBACK.test(new URL(address).hostname)) return null;
  const models = await modelsAt(address, createAskOnce({}));
  return models && { name, address, models };
}

async function modelsAt(address: string, ask: AskOnce): Promise<string[] | null> {
  try {
    const url = new URL(`${address.replace(/\/+$/, '')}/models`);
    const { status, text } = await ask({ url, method: 'GET', headers: { accept: 'application/json' } }, TIMEOUT_MS);
    const body = tryParseJson(text);
    if (status !== 200 || !isObject(body) || !Array.isArray(body.data)) return null;
    return body.data.flatMap((row) => stringField(row, 'id') ?? []);
  } catch {
    return null; // nobody is there
  }
}
