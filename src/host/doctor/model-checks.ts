import { originOf } from '../../config/merge.ts';
import { nameOf } from '../../config/settings.ts';
import { anthropicSettings } from '../../model/anthropic-env.ts';
import { missingOpenAiKey, openAiSettings } from '../../model/openai-env.ts';
import { missingCredentials, type ResolvedModel, recordingNamed, resolveModel } from '../../model/resolve.ts';
import { messageOf } from '../../util/message-of.ts';
import { shellWord } from '../../util/shell-word.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Env } from '../home.ts';
import { openPlace } from '../place.ts';
import type { Check, DoctorPlace } from './check.ts';

/** Which credentials there are, by name, and which model would answer. Nobody is asked, and no helper is run. */
export async function gatherModel({ engine, config }: DoctorPlace): Promise<Check[]> {
  const { env, config: launch, configuration } = await openPlace(engine, { config });
  const origin = originOf(['apiKeyHelper'], configuration.loaded.layers);
  const helper = origin ? nameOf(origin) : null;
  const next = `heddle -p ${config.model === undefined ? '' : `--model ${shellWord(config.model)} `}hi asks it`;
  return [credentialsCheck(env, helper), modelCheck(launch.model, { env, hasHelper: helper !== null, next })];
}

function credentialsCheck(env: Env, helper: string | null): Check {
  const anthropic = [
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].filter((name) => env[name]?.trim()),
    ...(helper === null ? [] : [`apiKeyHelper of ${helper} (not run)`]),
  ];
  const openai = ['OPENAI_API_KEY'].filter((name) => env[name]?.trim());
  const summary = `Anthropic: ${anthropic.join(', ') || 'none'}; OpenAI-compatible: ${openai.join(', ') || 'none'}`;
  return { id: 'credentials', status: 'ok', summary, facts: { anthropic, openai, apiKeyHelper: helper } };
}

/** `name` is that of the flag or the settings; the environment may choose, too. `next` is for a model that can be asked. */
function modelCheck(
  name: string | undefined,
  { env, hasHelper, next }: { env: Env; hasHelper: boolean; next: string },
): Check {
  const id = 'model';
  const recording = recordingNamed(name, env);
  if (recording !== null) {
    return { id, status: 'ok', summary: `the answers of the recording ${recording}`, next, facts: { recording } };
  }
  try {
    const { provider, id: model } = resolveModel(name, env);
    const address = addressOf(provider, env);
    const facts = { model, provider, ...(address !== null && { host: hostOf(address) }) };
    const where = address === null ? 'built in, needs neither network nor key' : `at ${hostOf(address)}`;
    const lacks = lackOf(provider, { env, hasHelper });
    if (lacks === null) return { id, status: 'ok', summary: `${model}, ${where}`, next, facts };
    return { id, status: 'problem', summary: `${model}, ${where}: there is no key`, next: lacks, facts };
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    return { id, status: 'problem', summary: messageOf(error), next: 'heddle --help, under Model', facts: {} };
  }
}

function addressOf(provider: ResolvedModel['provider'], env: Env): string | null {
  switch (provider) {
    case 'anthropic':
      return anthropicSettings(env).baseUrl;
    case 'openai':
      return openAiSettings(env).baseUrl;
    case 'offline':
      return null;
    default:
      return provider satisfies never;
  }
}

/** Nothing else of an address: it may hold a password. */
function hostOf(address: string): string {
  if (URL.canParse(address)) return new URL(address).host;
  throw new HeddleError('invalid_option', 'The address of the model API (…_BASE_URL) is no URL');
}

/** What to do about a credential that is missing; null when none is. */
function lackOf(
  provider: ResolvedModel['provider'],
  { env, hasHelper }: { env: Env; hasHelper: boolean },
): string | null {
  if (provider === 'openai' && missingOpenAiKey(env)) {
    return 'set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none';
  }
  if (provider === 'anthropic' && !hasHelper && missingCredentials(env)) {
    return 'set ANTHROPIC_API_KEY, or try --model offline, which needs none (heddle config set model offline)';
  }
  return null;
}
