import { createHooks, type Dispatcher } from '../../hooks/dispatch.ts';
import { readHooks } from '../../hooks/read-hooks.ts';
import type { Engine } from '../engine/engine.ts';
import { type Env, secretValues, toolEnv } from '../engine/environment.ts';
import { credentialHider } from '../engine/hide-credentials.ts';
import type { Configuration } from '../launch/configuration.ts';
import { hooksInLayers } from '../launch/hook-settings.ts';

/**
 * The worktree hooks of the settings, for a session that is not open yet. It has no id, no transcript, and no host to
 * call.
 */
export function launchHooks(
  engine: Engine,
  { configuration, project, env }: { configuration: Configuration; project: string; env: Env },
): Dispatcher {
  const hooks = hooksInLayers(configuration.loaded.layers)
    .flatMap(({ raw, source }) => readHooks(raw, source).hooks)
    .filter(({ event }) => event === 'WorktreeCreate' || event === 'WorktreeRemove');
  const { processes, runtime } = engine;
  return createHooks({
    hooks: () => hooks,
    sessionId: '',
    base: () => ({ session_id: '', transcript_path: '', cwd: project }),
    permissionMode: () => 'default',
    environment: {
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
    send: () => undefined,
    announcesAll: false,
  });
}
