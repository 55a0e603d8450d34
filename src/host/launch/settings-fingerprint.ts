import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileScope, type SettingsDirectories, settingsPath } from '../../config/settings/scopes.ts';
import { errorCode } from '../../util/error-code.ts';

/**
 * The state of the settings files, and of the files that trust in them depends on. It changes when one of the files
 * does; null: there are no settings. Called with every turn, so it only reads the metadata of the files.
 */
export function settingsStamp(scopes: readonly FileScope[], directories: SettingsDirectories): string | null {
  const stamps = scopes.map((scope) => ({ scope, stamp: stampOf(settingsPath(scope, directories)) }));
  const found = stamps.filter(({ stamp }) => stamp !== '');
  if (found.length === 0) return null;
  const needTrust = found.some(({ scope }) => scope !== 'userSettings');
  const trust = needTrust ? trustPaths(directories).map(stampOf) : [];
  return [...found.map(({ scope, stamp }) => `${scope}.${stamp}`), ...trust].join(' ');
}

/** The files that decide, in addition to the settings, whether a project is trusted (see config/trust-store.ts). */
function trustPaths({ cwd, configHome }: SettingsDirectories): (string | null)[] {
  return [configHome && join(configHome, 'trust.json'), join(cwd, '.mcp.json')];
}

/** Empty for a missing file. A file whose metadata cannot be read counts as present: reading it reports the reason. */
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
