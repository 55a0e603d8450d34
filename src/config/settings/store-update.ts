import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject, isTexts, type JsonObject } from '../../util/json.ts';
import { toPermissionMode } from '../../wire/permission-modes.ts';
import type { PermissionRuleValue, PermissionUpdate } from '../../wire/permissions.ts';
import { type FileScope, type SettingsDirectories, settingsPath } from './scopes.ts';
import { type Change, readSettingsFile, refuseSettings } from './settings-file.ts';

/** Interprets the texts in a settings file. Passed in, because the permissions folder defines the rule syntax. */
export interface SettingTexts {
  ofRule(rule: PermissionRuleValue): string;
  /** The rules in one text of a list, each as `ofRule` writes it. */
  rulesIn(text: string): string[];
  /** The path that a directory text means. */
  directory(text: string): string;
}

/** The planned change of one settings file. */
export interface PlannedStore {
  scope: FileScope;
  path: string;
  change: Change;
}

/**
 * Plans how to store the updates in one file: null when the file already contains them. Everything else in the file
 * stays unchanged. Throws `invalid_settings` for a file that cannot be read, or that has another kind of value at a
 * path.
 */
export function planStore(
  scope: FileScope,
  updates: readonly PermissionUpdate[],
  directories: SettingsDirectories,
  texts: SettingTexts,
): PlannedStore | null {
  const path = settingsPath(scope, directories);
  if (path === null) throw refuseSettings(`There is no place for ${scope}: set HEDDLE_HOME or HOME`);
  const own = updates.filter(({ destination }) => destination === scope);
  const change: Change = (values) => {
    const next = own.reduce((before, update) => withUpdate(before, update, { texts, path }), values);
    return next === values ? null : next;
  };
  if (change(readSettingsFile(path) ?? {}) === null) return null;
  return { scope, path, change };
}

export function isFileScope(destination: string): destination is FileScope {
  return ['userSettings', 'projectSettings', 'localSettings'].includes(destination);
}

interface Context {
  texts: SettingTexts;
  /** For errors. */
  path: string;
}

/** Returns the same object when nothing changes. */
function withUpdate(values: JsonObject, update: PermissionUpdate, context: Context): JsonObject {
  const permissions = values.permissions ?? {};
  if (!isObject(permissions)) throw refuseSettings(`permissions is not an object (${context.path})`);
  const { key, value } = changedKey(permissions, update, context);
  if (isDeepStrictEqual(permissions[key], value)) return values;
  return { ...values, permissions: { ...permissions, [key]: value } };
}

function changedKey(
  permissions: JsonObject,
  update: PermissionUpdate,
  { texts, path }: Context,
): { key: string; value: unknown } {
  const list = (key: string): string[] | undefined => {
    const value = permissions[key];
    if (value === undefined || isTexts(value)) return value;
    throw refuseSettings(`permissions.${key} is not a list of texts (${path})`);
  };
  switch (update.type) {
    case 'setMode':
      return { key: 'defaultMode', value: toPermissionMode(update.mode) ?? update.mode };
    case 'addRules':
      return { key: update.behavior, value: added(list(update.behavior), ruleTexts(update, texts), texts.rulesIn) };
    case 'replaceRules':
      return { key: update.behavior, value: [...new Set(ruleTexts(update, texts))] };
    case 'removeRules':
      return { key: update.behavior, value: removed(list(update.behavior), ruleTexts(update, texts), texts.rulesIn) };
    case 'addDirectories':
    case 'removeDirectories': {
      const key = 'additionalDirectories';
      const pathsIn = (text: string) => [texts.directory(text)];
      if (update.type === 'addDirectories') {
        return { key, value: added(list(key), directoryTexts(update, texts), pathsIn) };
      }
      return { key, value: removed(list(key), update.directories.map(texts.directory), pathsIn) };
    }
  }
}

function ruleTexts({ rules }: { rules: readonly PermissionRuleValue[] }, texts: SettingTexts): string[] {
  return rules.map((rule) => texts.ofRule(rule));
}

/** The user's settings apply in every directory, so that a path in them cannot be relative to this one. */
function directoryTexts(
  { directories, destination }: { directories: readonly string[]; destination: string },
  texts: SettingTexts,
): string[] {
  const isFixed = (text: string) => destination !== 'userSettings' || isAbsolute(text) || /^~(\/|$)/.test(text);
  return directories.map((text) => (isFixed(text) ? text : texts.directory(text)));
}

/** `meant` returns the meaning of a text; values that the list already contains are not added again. */
function added(before: string[] = [], given: readonly string[], meant: (text: string) => string[]): string[] {
  const known = new Set(before.flatMap(meant));
  const list = [...before];
  for (const text of given) {
    const fresh = meant(text).filter((each) => !known.has(each));
    if (fresh.length === 0) continue;
    list.push(text);
    for (const each of fresh) known.add(each);
  }
  return list;
}

/** A text with several meanings keeps the others. */
function removed(before: string[] | undefined, given: readonly string[], meant: (text: string) => string[]) {
  return before?.flatMap((text) => {
    const all = meant(text);
    const left = all.filter((each) => !given.includes(each));
    return left.length === all.length ? [text] : left;
  });
}
