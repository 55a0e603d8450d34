import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, tryParseJson } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/** The part of a settings file that this version acts on. */
export interface PermissionSettings {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  defaultMode?: string;
}

/**
 * The permissions in what `--settings` gives: JSON, or the path of a JSON file. Text that is no JSON is taken as a path,
 * so a typo ends in "not found". A list of the wrong shape is an error: a deny rule must not get lost on the way.
 */
export function readPermissionSettings(given: string | undefined, cwd: string): PermissionSettings {
  if (given === undefined) return {};
  const settings = tryParseJson(given) ?? tryParseJson(readFile(given, cwd));
  if (!isObject(settings)) throw new HeddleError('invalid_settings', `Settings are not a JSON object: ${given}`);
  const { permissions = {} } = settings;
  if (!isObject(permissions)) throw new HeddleError('invalid_settings', 'Settings: permissions must be an object');
  return {
    ...ruleList(permissions, 'allow'),
    ...ruleList(permissions, 'deny'),
    ...ruleList(permissions, 'ask'),
    ...(typeof permissions.defaultMode === 'string' && { defaultMode: permissions.defaultMode }),
  };
}

function readFile(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_settings', `Settings file not found: ${path}`, { cause });
  }
}

function ruleList(permissions: Record<string, unknown>, key: 'allow' | 'deny' | 'ask') {
  const list = permissions[key];
  if (list === undefined) return {};
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return { [key]: list as string[] };
  throw new HeddleError('invalid_settings', `Settings: permissions.${key} must be a list of rules`);
}
