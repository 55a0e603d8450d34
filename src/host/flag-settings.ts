import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type JsonObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';

/** The part of a settings file that this version acts on. */
export interface PermissionSettings {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  defaultMode?: string;
}

const PERMISSION_KEYS = ['allow', 'deny', 'ask', 'defaultMode'];

/**
 * The permissions in what `--settings` gives: JSON, or the path of a JSON file. A list of the wrong shape is an error: a
 * deny rule must not get lost on the way. Hooks are refused, because who counts on one must not run without it; other
 * keys without effect are said.
 */
export function readPermissionSettings(given: string | undefined, cwd: string, log: Logger): PermissionSettings {
  if (given === undefined) return {};
  const isText = given.trimStart().startsWith('{');
  const settings = parse(isText ? given : readFile(given, cwd), isText ? '--settings' : given);
  if (isObject(settings.hooks) && Object.keys(settings.hooks).length > 0) {
    throw refuse('Settings: hooks are not supported in this version');
  }
  const { permissions = {}, ...others } = settings;
  if (!isObject(permissions)) throw refuse('Settings: permissions must be an object');
  const unknown = Object.keys(permissions).filter((key) => !PERMISSION_KEYS.includes(key));
  for (const key of [...Object.keys(others), ...unknown.map((name) => `permissions.${name}`)]) {
    log('warn', `The setting ${key} has no effect in this version and was ignored`);
  }
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
    const { code, message } = cause as NodeJS.ErrnoException;
    throw refuse(code === 'ENOENT' ? `Settings file not found: ${path}` : `Settings cannot be read: ${message}`, cause);
  }
}

function parse(text: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refuse(`Settings are not valid JSON (${where}): ${(cause as Error).message}`, cause);
  }
  if (isObject(value)) return value;
  throw refuse(`Settings are not a JSON object (${where})`);
}

function ruleList(permissions: JsonObject, key: 'allow' | 'deny' | 'ask') {
  const list = permissions[key];
  if (list === undefined) return {};
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return { [key]: list as string[] };
  throw refuse(`Settings: permissions.${key} must be a list of rules`);
}

function refuse(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_settings', message, { cause });
}
