import { isObject, type JsonObject } from '../../util/json.ts';
import { formatKey } from './setting-key.ts';
import { refuseSettings } from './settings-file.ts';

/** The settings with this value at this path. Missing objects are created; another value on the path is an error. */
export function withSetting(values: JsonObject, path: readonly string[], value: unknown): JsonObject {
  return setBelow(values, path, 0, value);
}

/** The settings without the value at this path; null when there is none. Objects that become empty are removed. */
export function withoutSetting(values: JsonObject, path: readonly string[]): JsonObject | null {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(values, name)) return null;
  const { [name]: inner, ...others } = values;
  if (rest.length === 0) return others;
  const left = isObject(inner) ? withoutSetting(inner, rest) : null;
  if (left === null) return null;
  return Object.keys(left).length === 0 ? others : { ...values, [name]: left };
}

/** The settings with these changes: objects are merged key by key, other values replaced; null removes a key. */
export function patchSettings(values: JsonObject, changes: JsonObject): JsonObject {
  const next = { ...values };
  for (const [key, change] of Object.entries(changes)) {
    if (key === '__proto__') throw refuseSettings('__proto__ cannot be the name of a setting');
    const before = Object.hasOwn(next, key) ? next[key] : undefined;
    if (change === null) delete next[key];
    else if (isObject(change)) next[key] = patchSettings(isObject(before) ? before : {}, change);
    else next[key] = change;
  }
  return next;
}

function setBelow(values: JsonObject, path: readonly string[], depth: number, value: unknown): JsonObject {
  const name = path[depth] ?? '';
  if (depth === path.length - 1) return { ...values, [name]: value };
  const inner = Object.hasOwn(values, name) ? values[name] : {};
  if (isObject(inner)) return { ...values, [name]: setBelow(inner, path, depth + 1, value) };
  throw refuseSettings(`${formatKey(path.slice(0, depth + 1))} is no object, so nothing can be set in it`);
}
