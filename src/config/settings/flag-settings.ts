import { isObject, type JsonObject } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { givenLayer, type Layer } from './layers.ts';
import { actedOnKeys, isActedOn } from './settings.ts';

/**
 * What `--settings` gives, JSON or the path of a JSON file, with what the host has changed of it since; null when that is
 * nothing. Who gives settings with a launch counts on them: keys without effect are said.
 */
export function flagLayer(
  given: string | undefined,
  changes: JsonObject,
  { cwd, log }: { cwd: string; log: Logger },
): Layer | null {
  const atLaunch = given === undefined ? null : givenLayer('flagSettings', given, { cwd, flag: '--settings' });
  const isChanged = Object.keys(changes).length > 0;
  if (!atLaunch && !isChanged) return null;
  const values = withChanges(atLaunch?.values ?? {}, changes);
  for (const key of withoutEffect(isChanged ? changes : values)) {
    const near = nearestWord(key, [...actedOnKeys(), 'permissions']);
    const meant = near === null ? '' : `. Did you mean ${near}?`;
    log('warn', `The setting ${printable(key)} has no effect in this version and was ignored${meant}`);
  }
  return { scope: 'flagSettings', path: isChanged ? null : (atLaunch?.path ?? null), values };
}

function withChanges(values: JsonObject, changes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null));
}

function withoutEffect(values: JsonObject): string[] {
  const permissions = isObject(values.permissions) ? Object.keys(values.permissions) : [];
  const keys = [...Object.keys(values).map((key) => [key]), ...permissions.map((key) => ['permissions', key])];
  return keys.filter((key) => !isActedOn(key) && key[0] !== '$schema').map((key) => key.join('.'));
}
