import type { Engine } from '../host/engine/engine.ts';
import { readStoredKeys } from '../host/engine/stored-keys.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import { type ModelChoice, modelChoices } from '../model/model-choices.ts';
import { LOCAL_SERVERS, SERVER_NAMES } from '../model/named-servers.ts';
import { CLOUDS, cloudOf, userProviders } from '../model/provider-names.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { providerAuth } from './auth.ts';
import { type LocalServerView, localServer } from './local-servers.ts';
import { type ProviderView, viewProvider } from './provider-view.ts';

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
    providers: [...own, ...(await Promise.all(remote.map((name) => viewProvider(engine, name, { env, configHome }))))],
    local: (await Promise.all(LOCAL_SERVERS.map((name) => localServer(name, env)))).flatMap((found) => found ?? []),
  };
}

function ofKey(name: string, isReady: boolean, advice: string): ProviderView {
  return { name, isReady, lacks: isReady ? null : `needs a key: ${advice}`, source: null };
}
