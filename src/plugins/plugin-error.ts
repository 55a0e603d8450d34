import { printable } from '../util/text/printable.ts';
import { HeddleError } from '../wire/errors.ts';

/** What a user of plugins gets to read: `message` says what happened, and where it helps what to do. */
export function pluginError(message: string, cause?: unknown): HeddleError {
  return new HeddleError('plugin_failed', printable(message), cause === undefined ? {} : { cause });
}

/** A name of a marketplace or a plugin, which becomes the name of a folder. Throws `plugin_failed` for another one. */
export function checkedName(name: unknown, what: string): string {
  // A list is a file with the name and .json; programs look for packages in node_modules of all folders above them.
  const isTaken = typeof name === 'string' && /^node_modules$|\.json$/i.test(name);
  if (typeof name === 'string' && !isTaken && /^[A-Za-z0-9_][\w.-]{0,99}$/.test(name) && !name.includes('..'))
    return name;
  const shown = typeof name === 'string' ? `'${name}'` : 'what it has';
  throw pluginError(`${shown} is no name for a ${what}: letters, digits, '-', '_' and '.' make one`);
}

/** The halves of `plugin@marketplace`; null for the marketplace where only the plugin is named. */
export function splitId(id: string): { name: string; marketplace: string | null } {
  const at = id.lastIndexOf('@');
  if (at < 0) return { name: checkedName(id, 'plugin'), marketplace: null };
  return { name: checkedName(id.slice(0, at), 'plugin'), marketplace: checkedName(id.slice(at + 1), 'marketplace') };
}
