import { isObject, type JsonObject } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { type Layer, rawLayer } from './layers.ts';
import { actedOnKeys, isActedOn } from './settings.ts';

/**
 * The settings of `--settings`, as JSON or the path of a JSON file, with the host's later changes; null when there are
 * none. Heddle warns about keys without effect, because the user of the flag relies on them.
 */
export function flagLayer(
  given: string | undefined,
  changes: JsonObject,
  { cwd, log }: { cwd: string; log: Logger },
): Layer | null {
  const atLaunch = given === undefined ? null : rawLayer('flagSettings', given, { cwd, flag: '--settings' });
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
