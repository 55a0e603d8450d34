import { modelChoices } from '../model/model-choices.ts';
import { LOCAL_SERVERS, SERVER_NAMES } from '../model/named-servers.ts';
import { CLOUDS, userProviders } from '../model/provider-names.ts';
import { localServer } from './local-servers.ts';

/** A name for `--model`, or the beginning of one, with what it means. */
export interface ModelName {
  name: string;
  meaning: string;
}

/**
 * What `--model` can begin with here, for completion: it opens no engine and reads no settings. Only a word that names a
 * server of this machine is worth asking that server for its models.
 */
export async function modelNames(
  env: Readonly<Record<string, string | undefined>>,
  written: string,
): Promise<ModelName[]> {
  const [, server] = /^([a-z]+)\//.exec(written) ?? [];
  if (server !== undefined && LOCAL_SERVERS.includes(server)) {
    const found = await localServer(server, env);
    return (found?.models ?? []).map((model) => ({ name: `${server}/${model}`, meaning: found?.address ?? '' }));
  }
  const providers = [...new Set(['openai', ...CLOUDS, 'azure', ...SERVER_NAMES, ...Object.keys(userProviders(env))])];
  return [
    ...modelChoices(env, undefined).map(({ value, resolvedModel, description }) => ({
      name: value,
      meaning: resolvedModel === undefined || resolvedModel === value ? description : resolvedModel,
    })),
    ...providers.map((provider) => ({ name: `${provider}/`, meaning: 'a model of this provider' })),
  ];
}
