import { isObject, type JsonObject } from '../../util/json.ts';
import type { Layer } from './layers.ts';

/**
 * The settings in force: single values come from the strongest layer, objects are merged key by key, lists are joined
 * with the strongest first. `layers` is ordered by strength.
 */
export function mergeLayers(layers: readonly Layer[]): JsonObject {
  return layers.reduceRight<JsonObject>((weaker, { values }) => mergeObjects(weaker, values), {});
}

/** The strongest layer that sets this path (`permissions.defaultMode`). */
export function originOf(path: readonly string[], layers: readonly Layer[]): Layer | undefined {
  return layers.find(({ values }) => valueAt(path, values) !== undefined);
}

export function valueAt(path: readonly string[], values: JsonObject): unknown {
  return path.reduce<unknown>((value, key) => {
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, values);
}

function mergeObjects(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged: JsonObject = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    if (key === '__proto__') continue; // would become the object's prototype, not a setting
    merged[key] = Object.hasOwn(merged, key) ? mergeValues(merged[key], value) : value;
  }
  return merged;
}

function mergeValues(weaker: unknown, stronger: unknown): unknown {
  if (isObject(weaker) && isObject(stronger)) return mergeObjects(weaker, stronger);
  if (Array.isArray(weaker) && Array.isArray(stronger)) return unique([...stronger, ...weaker]);
  return stronger;
}

function unique(values: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = JSON.stringify(value);
    return !seen.has(key) && seen.add(key);
  });
}
