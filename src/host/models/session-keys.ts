import type { Engine } from '../engine/engine.ts';
import type { SessionKeys } from '../engine/engine-models.ts';
import { readStoredKeys, storedElsewhere, storedKeyFor } from '../engine/stored-keys.ts';
import { apiKeyHelper } from './api-key-helper.ts';
import type { ModelContext } from './model-context.ts';

/**
 * The keys of a session that are not in its environment. Stored keys are noted as secrets from the start, so that no
 * tool and no log shows them, whichever key is used.
 */
export function sessionKeys(engine: Engine, context: ModelContext): SessionKeys {
  const { processes, runtime, obtainedSecrets } = engine;
  const { apiKeyHelper: command, configHome, cwd, env } = context;
  const { keys, problem } = readStoredKeys(configHome);
  if (problem !== null) runtime.log('warn', problem);
  obtainedSecrets.note(keys.map(({ apiKey }) => apiKey));
  const helper = command && {
    id: `${cwd}: ${command}`,
    credential: obtainedSecrets.noting(apiKeyHelper(command, { processes, cwd, env, clock: runtime.clock })),
  };
  return {
    ...(helper && { helper }),
    stored(provider, address) {
      const found = storedKeyFor(configHome, { provider, address });
      return found && { ...found, credential: obtainedSecrets.noting(found.credential) };
    },
    storedElsewhere: (provider, address) => storedElsewhere(configHome, { provider, address }),
  };
}
