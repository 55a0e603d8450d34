import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLocalWorkspace } from '../../tools/workspace/local-workspace.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';
import { withSettingsEnv } from './apply-settings.ts';
import { type Configuration, openConfiguration } from './configuration.ts';

/** The worktree that a session runs in. */
export interface SessionWorktree {
  /** The working directory of the session, a real path. */
  cwd: string;
  /** Called at the end of the session. Removes a worktree that has neither a given name nor changes. Never rejects. */
  leave(): Promise<void>;
}

export interface LaunchedProject {
  /** The directory of the launch, whose settings and trust apply. A real path. */
  project: string;
  config: RunConfig;
  configuration: Configuration;
  env: Env;
}

/** The directory and the settings of a launch. Sessions begin with it, and so does an explanation of permissions. */
export interface LaunchContext {
  /** A real path. */
  cwd: string;
  /** The directory of the launch: the project's files and its trust are read here. A real path. */
  project: string;
  /** The worktree that the session runs in instead of the project; null: it runs in the project. */
  worktree: SessionWorktree | null;
  /** Null: there is no config home. A session can still use its own store. */
  configHome: string | null;
  configuration: Configuration;
  /** The launch with the values that its settings add. */
  config: RunConfig;
  env: Env;
  workspace: Workspace;
}

/**
 * Rejects with `invalid_option` for an invalid working directory, and with `invalid_settings` for a file that cannot be
 * read. `enter` makes the worktree that the launch asks for; without `enter` no worktree is made.
 */
export async function openLaunchContext(engine: Engine, launch: Launch, enter?: EnterWorktree): Promise<LaunchContext> {
  const project = realDirectory(engine.cwdOf(launch), 'The working directory');
  const configHome = homeOrNull(engine, launch);
  const configuration = await openConfiguration(launch.config, { cwd: project, configHome }, engine.runtime);
  const config = configuration.launch();
  const env = withSettingsEnv(engine.envOf(launch), configuration.settings, config);
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

/** Warns about an additional directory that is missing; the run starts without it. `what` names its origin. */
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

/** `what` names the directory in the error. */
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
    throw error; // the choice of a home cannot be read: the home with the user's rules is unknown
  }
}
