import { apiKeyHelper } from './api-key-helper.ts';
import type { Engine } from './engine.ts';
import type { SessionKeys } from './models.ts';
import type { SessionPlace } from './session-models.ts';
import { readStoredKeys, storedElsewhere, storedKeyFor } from './stored-keys.ts';

/**
 * The keys of a session that are not in its environment. What is stored is known from the start, so that no tool and no log
 * shows it, whichever key is used.
 */
export function sessionKeys(engine: Engine, place: SessionPlace): SessionKeys {
  const { processes, runtime, obtainedSecrets } = engine;
  const { apiKeyHelper: command, configHome, cwd, env } = place;
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
