import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileScope, type SettingsPlaces, settingsPath } from '../config/scopes.ts';
import { errorCode } from '../util/error-code.ts';

/**
 * In which state the settings files are, and what the trust in them depends on; the same as long as nobody changes one.
 * Null: there are no settings. Asked with every turn, so it only looks at the files.
 */
export function settingsStamp(scopes: readonly FileScope[], places: SettingsPlaces): string | null {
  const stamps = scopes.map((scope) => ({ scope, stamp: stampOf(settingsPath(scope, places)) }));
  const found = stamps.filter(({ stamp }) => stamp !== '');
  if (found.length === 0) return null;
  const needTrust = found.some(({ scope }) => scope !== 'userSettings');
  const trust = needTrust ? trustPaths(places).map(stampOf) : [];
  return [...found.map(({ scope, stamp }) => `${scope}.${stamp}`), ...trust].join(' ');
}

/** What besides the settings themselves makes a project trusted or not (see config/trust-store.ts). */
function trustPaths({ cwd, configHome }: SettingsPlaces): (string | null)[] {
  return [configHome && join(configHome, 'trust.json'), join(cwd, '.mcp.json')];
}

/** Empty for a file that is not there. One that cannot be looked at counts as there: reading it will say why. */
function stampOf(path: string | null): string {
  if (path === null) return '';
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino}.${size}.${mtimeMs}.${ctimeMs}`;
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : 'unreadable';
  }
}
