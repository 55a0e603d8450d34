import { createHooks, type Dispatcher } from '../../hooks/dispatch.ts';
import { readHooks } from '../../hooks/read-hooks.ts';
import type { Configuration } from '../configuration.ts';
import type { Engine } from '../engine.ts';
import { credentialHider } from '../hide-credentials.ts';
import { type Env, secretValues, toolEnv } from '../home.ts';
import { hooksInLayers } from '../hooks.ts';

/**
 * The worktree hooks of the settings, for a session that is not open yet: it has no id, no transcript and no host that
 * could be called back.
 */
export function launchHooks(
  engine: Engine,
  { configuration, project, env }: { configuration: Configuration; project: string; env: Env },
): Dispatcher {
  const hooks = hooksInLayers(configuration.loaded.layers)
    .flatMap(({ given, source }) => readHooks(given, source).hooks)
    .filter(({ event }) => event === 'WorktreeCreate' || event === 'WorktreeRemove');
  const { processes, runtime } = engine;
  return createHooks({
    hooks: () => hooks,
    sessionId: '',
    base: () => ({ session_id: '', transcript_path: '', cwd: project }),
    permissionMode: () => 'default',
    place: {
      processes,
      cwd: project,
      env: { ...toolEnv(env), CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project },
      hide: credentialHider(() => secretValues(env)),
    },
    async callHost() {
      throw new Error('There is no host yet to ask');
    },
    newId: () => runtime.ids.uuid(),
    log: runtime.log,
    say: () => undefined,
    tellsAll: false,
  });
}
