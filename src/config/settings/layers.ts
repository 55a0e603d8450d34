import { resolve } from 'node:path';
import { existingOrSame } from '../../util/files/existing-path.ts';
import type { JsonObject } from '../../util/json.ts';
import { type FileScope, SCOPES, type Scope, type SettingsDirectories, settingsPath } from './scopes.ts';
import { parseSettings, readSettingsFile, refuseSettings } from './settings-file.ts';

/** The settings of one scope. */
export interface Layer {
  readonly scope: Scope;
  /** The file, or null when the settings came as text. */
  readonly path: string | null;
  readonly values: JsonObject;
}

/** A settings file that cannot be read, and why. */
export interface BrokenFile {
  scope: FileScope;
  path: string;
  error: unknown;
}

/** Reads the files of these scopes. A missing file has no layer; an unreadable one is an error, or is reported. */
export function fileLayers(
  scopes: readonly FileScope[],
  directories: SettingsDirectories,
  onBroken: (file: BrokenFile) => void = refuse,
): Layer[] {
  return ownFiles(scopes, directories).flatMap(({ scope, path }) => {
    try {
      const values = readSettingsFile(path);
      return values === null ? [] : [{ scope, path, values }];
    } catch (error) {
      onBroken({ scope, path, error });
      return [];
    }
  });
}

function refuse({ error }: BrokenFile): never {
  throw error;
}

/**
 * The file of each scope, every file once however many names lead to it. Where the config home is the home's .claude
 * folder, one file would be the project's and the user's: then it is the user's.
 */
function ownFiles(
  scopes: readonly FileScope[],
  directories: SettingsDirectories,
): { scope: FileScope; path: string }[] {
  const files = new Map<string, { scope: FileScope; path: string }>();
  for (const scope of OWNERS.filter((each) => scopes.includes(each))) {
    const path = settingsPath(scope, directories);
    if (path === null) continue;
    const real = existingOrSame(path);
    if (!files.has(real)) files.set(real, { scope, path });
  }
  return [...files.values()].sort((a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope));
}

/** The order in which scopes claim a file that several of them share. */
const OWNERS: readonly FileScope[] = ['userSettings', 'localSettings', 'projectSettings'];

/** The settings of a flag: JSON, or the path of a JSON file. */
export function rawLayer(scope: Scope, given: string, { cwd, flag }: { cwd: string; flag: string }): Layer {
  if (given.trimStart().startsWith('{')) return { scope, path: null, values: parseSettings(given, flag) };
  const path = resolve(cwd, given);
  const values = readSettingsFile(path);
  if (values === null)
    throw refuseSettings(`Settings file not found: ${given} (${flag} takes JSON, or the path of a file)`);
  return { scope, path, values };
}
