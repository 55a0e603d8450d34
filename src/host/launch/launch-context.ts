import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLocalWorkspace } from '../tools/local-workspace.ts';
import type { Workspace } from '../tools/workspace.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import { type Configuration, openConfiguration } from './configuration.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import { withSettingsEnv } from './launch-settings.ts';
import type { LaunchedProject, SessionWorktree } from './worktrees/session-worktree.ts';

/** Where a launch runs and by which settings: what a session begins with, and an explanation of its permissions too. */
export interface LaunchPlace {
  /** A real path. */
  cwd: string;
  /** Where the launch was: what the project says, and whether it is trusted, is read here. A real path. */
  project: string;
  /** What the session runs in, in the place of the project; null: in the project. */
  worktree: SessionWorktree | null;
  /** Null: there is no home. A session can still work on a store of its own. */
  configHome: string | null;
  configuration: Configuration;
  /** The launch with what its settings add. */
  config: RunConfig;
  env: Env;
  workspace: Workspace;
}

/**
 * Rejects with `invalid_option` for a working directory that is none, and `invalid_settings` for what cannot be read. `enter`
 * makes the worktree that the launch asks for; without it nothing is made.
 */
export async function openPlace(engine: Engine, launch: Launch, enter?: EnterWorktree): Promise<LaunchPlace> {
  const project = realDirectory(engine.cwdOf(launch), 'The working directory');
  const configHome = homeOrNull(engine, launch);
  const configuration = await openConfiguration(launch.config, { cwd: project, configHome }, engine.runtime);
  const config = configuration.launch();
  const env = withSettingsEnv(engine.envOf(launch), configuration.settings);
  const { log } = engine.runtime;
  const given = existingOf(config.addDir ?? [], '--add-dir', { cwd: project, log });
  const named = existingOf(
    configuration.settings.additionalDirectories.map((dir) => fromHome(dir, env.HOME)),
    'permissions.additionalDirectories',
    { cwd: project, log },
  );
  const isAsked = enter && config.worktree !== undefined;
  const worktree = isAsked ? await enter({ project, config, configuration, env }) : null;
  const cwd = worktree?.cwd ?? project;
  const roots = [cwd, ...given, ...named];
  const { processes } = engine;
  const workspace = createLocalWorkspace({ cwd, roots, home: env.HOME ?? '/', privateDir: configHome, processes });
  return { cwd, project, worktree, configHome, configuration, config, env, workspace };
}

type EnterWorktree = (launched: LaunchedProject) => Promise<SessionWorktree>;

function fromHome(dir: string, home: string | undefined): string {
  return home && (dir === '~' || dir.startsWith('~/')) ? `${home}${dir.slice(1)}` : dir;
}

/** A further directory that is gone is said, and does not keep a run from starting. `what` names where it stands. */
function existingOf(dirs: readonly string[], what: string, { cwd, log }: { cwd: string; log: Logger }): string[] {
  return dirs.flatMap((dir) => {
    try {
      return [realDirectory(dir, what, cwd)];
    } catch (error) {
      log('warn', `${messageOf(error)}. It was left out.`);
      return [];
    }
  });
}

/** `what` names it in the error. */
export function realDirectory(path: string, what: string, base = '/'): string {
  try {
    const real = realpathSync(resolve(base, path));
    if (statSync(real).isDirectory()) return real;
  } catch {
    // falls through to the same error
  }
  throw new HeddleError('invalid_option', `${what} is not a directory: ${path}`, {
    facts: { startupFailureReason: 'cwd_unavailable' },
  });
}

function homeOrNull(engine: Engine, launch: Launch): string | null {
  try {
    return engine.homeOf(launch);
  } catch (error) {
    if (HeddleError.isInstance(error) && error.code === 'invalid_option') return null;
    throw error; // a choice that cannot be read: the user's rules are in a home that nobody knows
  }
}
