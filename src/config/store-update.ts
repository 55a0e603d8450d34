import { isObject, type JsonObject } from '../util/json.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { updateJsonFile } from './json-file.ts';
import { type FileScope, type SettingsPlaces, settingsPath } from './scopes.ts';
import { refuseSettings } from './settings-file.ts';

/**
 * Keeps a permission update in the settings file that it names. Those for the session only are not kept. Everything else
 * in the file stays as it is.
 */
export function storeUpdate(update: PermissionUpdate, places: SettingsPlaces): void {
  if (!isFileScope(update.destination)) return;
  const path = settingsPath(update.destination, places);
  if (path === null) throw refuseSettings(`There is no place for ${update.destination}: set HEDDLE_HOME or HOME`);
  updateJsonFile(path, (values) => {
    const permissions = isObject(values.permissions) ? values.permissions : {};
    return { ...values, permissions: changed(permissions, update) };
  });
}

export function isFileScope(destination: string): destination is FileScope {
  return ['userSettings', 'projectSettings', 'localSettings'].includes(destination);
}

function changed(permissions: JsonObject, update: PermissionUpdate): JsonObject {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const given = update.rules.map(textOf);
      const before = texts(permissions[update.behavior]);
      return { ...permissions, [update.behavior]: changedList(before, given, update.type) };
    }
    case 'setMode':
      return { ...permissions, defaultMode: update.mode };
    case 'addDirectories':
    case 'removeDirectories': {
      const kind = update.type === 'addDirectories' ? 'addRules' : 'removeRules';
      const before = texts(permissions.additionalDirectories);
      return { ...permissions, additionalDirectories: changedList(before, update.directories, kind) };
    }
  }
}

function changedList(
  before: readonly string[],
  given: readonly string[],
  kind: 'addRules' | 'replaceRules' | 'removeRules',
): string[] {
  if (kind === 'replaceRules') return [...given];
  const others = before.filter((text) => !given.includes(text));
  return kind === 'addRules' ? [...others, ...given] : others;
}

function textOf({ toolName, ruleContent }: { toolName: string; ruleContent?: string | undefined }): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
