import { isAbsolute, join } from 'node:path';

/** The directory for compiled code when the installation folder is read-only. */
export function userCodeCache(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const base = env.XDG_CACHE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(home, '.cache'), 'heddle');
}
