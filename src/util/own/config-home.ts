import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { errorCode } from '../error-code.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Why a directory is the config home. `stored`: a user selected it with `heddle config home`. */
export type HomeSource = 'HEDDLE_HOME' | 'CLAUDE_CONFIG_DIR' | 'stored' | 'default';

export interface ConfigHome {
  path: string;
  source: HomeSource;
}

/**
 * The config home: HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else the directory in `~/.heddle/home`, else `~/.heddle`. Null
 * where the environment has no HOME. A problem, as a sentence, where that file cannot be used: another home than the
 * selected one would have other rules.
 */
export function findConfigHome(env: Env): ConfigHome | { problem: string } | null {
  if (env.HEDDLE_HOME) return { path: env.HEDDLE_HOME, source: 'HEDDLE_HOME' };
  if (env.CLAUDE_CONFIG_DIR) return { path: env.CLAUDE_CONFIG_DIR, source: 'CLAUDE_CONFIG_DIR' };
  const own = ownFolder(env);
  if (own === null) return null;
  const file = choiceFile(own);
  const chosen = readChoice(file);
  if (chosen === null) return { path: own, source: 'default' };
  if (isAbsolute(chosen)) return { path: chosen, source: 'stored' };
  return {
    problem:
      `${file} does not say which config home to use: ` +
      'set it with heddle config home DIR, or go back to ~/.heddle with heddle config home --reset',
  };
}

/** `~/.heddle`: the default config home, and the folder that stores the selection. Null without HOME. */
export function ownFolder({ HOME }: Env): string | null {
  return HOME ? join(HOME, '.heddle') : null;
}

/** The file with one line, the absolute path of the config home. */
export function choiceFile(own: string): string {
  return join(own, 'home');
}

/** The reference's config home, where it exists and a run does not use it; null otherwise. */
export function unusedReferenceHome(env: Env): string | null {
  const found = findConfigHome(env);
  if (!found || 'problem' in found || found.source !== 'default' || !env.HOME) return null;
  const reference = join(env.HOME, '.claude');
  return isDirectory(reference) ? reference : null;
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const MAX_BYTES = 8192;

/** The content of the file; null where it is missing, an empty text where it cannot be read. */
function readChoice(file: string): string | null {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : '';
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '') ? null : '';
  }
}
