import { resolve } from 'node:path';
import type { JsonObject } from '../util/json.ts';
import { type FileScope, SCOPES, type Scope, type SettingsPlaces, settingsPath } from './scopes.ts';
import { parseSettings, readSettingsFile, refuseSettings } from './settings-file.ts';

/** The settings of one scope. */
export interface Layer {
  readonly scope: Scope;
  /** The file, or null when the settings were given as text. */
  readonly path: string | null;
  readonly values: JsonObject;
}

/** Reads the files of these scopes. A file that is not there is no layer; one that cannot be read is an error. */
export function fileLayers(scopes: readonly FileScope[], places: SettingsPlaces): Layer[] {
  const paths = new Set<string>();
  return byStrength(scopes, SCOPES).flatMap((scope) => {
    const path = settingsPath(scope, places);
    // In a home whose config home is its .claude folder one file would be both: then it is the user's.
    const isUsers = scope === 'projectSettings' && path === settingsPath('userSettings', places);
    if (path === null || isUsers || paths.has(path)) return [];
    paths.add(path);
    const values = readSettingsFile(path);
    return values === null ? [] : [{ scope, path, values }];
  });
}

/** What a flag gives: JSON, or the path of a JSON file. */
export function givenLayer(scope: Scope, given: string, { cwd, flag }: { cwd: string; flag: string }): Layer {
  if (given.trimStart().startsWith('{')) return { scope, path: null, values: parseSettings(given, flag) };
  const path = resolve(cwd, given);
  const values = readSettingsFile(path);
  if (values === null) throw refuseSettings(`Settings file not found: ${given}`);
  return { scope, path, values };
}

function byStrength<T extends Scope>(scopes: readonly T[], order: readonly Scope[]): T[] {
  return [...scopes].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
