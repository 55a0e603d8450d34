import { originOf } from '../../config/settings/merge.ts';
import { nameOf } from '../../config/settings/settings.ts';
import type { Engine } from '../../host/engine/engine.ts';
import type { KeyProvider } from '../../host/engine/engine-models.ts';
import type { Env } from '../../host/engine/environment.ts';
import { KEY_PROVIDERS, readStoredKeys, type StoredKey } from '../../host/engine/stored-keys.ts';
import { openLaunchContext } from '../../host/launch/launch-context.ts';
import { recordingNamed, resolveModel } from '../../model/resolve.ts';
import { messageOf } from '../../util/message-of.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { HeddleError } from '../../wire/errors.ts';
import { addressOf, providerAuth } from '../auth.ts';
import { viewProvider } from '../provider-view.ts';
import type { Check, DoctorContext } from './check.ts';

/** Checks which credentials exist, by name, and which model would answer. Sends no request and runs no helper. */
export async function gatherModel({ engine, config, home }: DoctorContext): Promise<Check[]> {
  const { env, config: launch, configuration } = await openLaunchContext(engine, { config });
  const { keys, problem } = readStoredKeys(home);
  const origin = originOf(['apiKeyHelper'], configuration.loaded.layers);
  const helper = origin ? nameOf(origin) : null;
  const next = `heddle -p ${config.model === undefined ? '' : `--model ${shellWord(config.model)} `}hi asks it`;
  const found = { env, hasHelper: helper !== null, keys };
  return [
    credentialsCheck(found, { helper, problem }),
    await modelCheck(launch.model, { ...found, next, engine, configHome: home }),
  ];
}

/** The places in which credentials are searched. */
interface Sources {
  env: Env;
  hasHelper: boolean;
  keys: readonly StoredKey[];
}

function credentialsCheck(
  { env, keys }: Sources,
  { helper, problem }: { helper: string | null; problem: string | null },
): Check {
  const stored = (provider: KeyProvider) =>
    keys.filter((key) => key.provider === provider).map(({ origin }) => `a stored key for ${origin}`);
  const anthropic = [
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].filter((name) => env[name]?.trim()),
    ...(helper === null ? [] : [`apiKeyHelper of ${helper} (not run)`]),
    ...stored('anthropic'),
  ];
  const openai = [...['OPENAI_API_KEY'].filter((name) => env[name]?.trim()), ...stored('openai')];
  const summary = `Anthropic: ${anthropic.join(', ') || 'none'}; OpenAI-compatible: ${openai.join(', ') || 'none'}`;
  const facts = { anthropic, openai, apiKeyHelper: helper };
  if (problem !== null) return { id: 'credentials', status: 'warning', summary: `${summary}; ${problem}`, facts };
  return { id: 'credentials', status: 'ok', summary, facts };
}

/**
 * `name` comes from the flag or the settings; the environment may also select a model. `next` is the advice for a
 * usable model.
 */
async function modelCheck(
  name: string | undefined,
  { next, engine, configHome, ...sources }: Sources & { next: string; engine: Engine; configHome: string | null },
): Promise<Check> {
  const id = 'model';
  const { env } = sources;
  const recording = recordingNamed(name, env);
  if (recording !== null) {
    return { id, status: 'ok', summary: `the answers of the recording ${recording}`, next, facts: { recording } };
  }
  try {
    const { provider, id: model } = resolveModel(name, env);
    if (!isKeyProvider(provider) && provider !== 'offline')
      return await elsewhereCheck(model, provider, { env, next, engine, configHome });
    const address = provider === 'offline' ? null : addressOf(provider, env);
    const facts = { model, provider, ...(address !== null && { host: hostOf(address) }) };
    const where = address === null ? 'built in, needs neither network nor key' : `at ${hostOf(address)}`;
    const lacks = lackOf(provider, sources);
    if (lacks === null) return { id, status: 'ok', summary: `${model}, ${where}`, next, facts };
    return { id, status: 'problem', summary: `${model}, ${where}: there is no key`, next: lacks, facts };
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    return { id, status: 'problem', summary: messageOf(error), next: 'heddle --help, under Model', facts: {} };
  }
}

function isKeyProvider(provider: string): provider is KeyProvider {
  return KEY_PROVIDERS.some((each) => each === provider);
}

/** A model of a cloud or a named server. Whether its credentials are found shows only when it is asked. */
async function elsewhereCheck(
  model: string,
  provider: string,
  { env, next, engine, configHome }: { env: Env; next: string; engine: Engine; configHome: string | null },
): Promise<Check> {
  const id = 'model';
  const { lacks } = await viewProvider(engine, provider, { env, configHome });
  const facts = { model, provider };
  if (lacks === null) return { id, status: 'ok', summary: `${model}, at ${provider}`, next, facts };
  return { id, status: 'problem', summary: `${model}: ${lacks}`, next: 'heddle models lists what can be used', facts };
}

/** Only the host of an address: the rest may contain a password. */
function hostOf(address: string): string {
  if (URL.canParse(address)) return new URL(address).host;
  throw new HeddleError('invalid_option', 'The address of the model API (…_BASE_URL) is no URL');
}

/** What to do about a missing credential; null when none is missing. */
function lackOf(provider: KeyProvider | 'offline', sources: Sources): string | null {
  if (provider === 'offline' || providerAuth(provider, sources).isReady) return null;
  if (provider === 'openai') {
    return 'heddle auth login --provider openai, or set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none';
  }
  return 'heddle auth login, or set ANTHROPIC_API_KEY; --model offline needs none (heddle config set model offline)';
}
