import { join } from 'node:path';
import { HeddleError } from '../wire/errors.ts';

/** The config home (ruling P2): HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else ~/.heddle. */
export function configHome(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HEDDLE_HOME || env.CLAUDE_CONFIG_DIR || (env.HOME && join(env.HOME, '.heddle'));
  if (home) return home;
  throw new HeddleError('invalid_option', 'There is no place for sessions: set HEDDLE_HOME or HOME');
}
