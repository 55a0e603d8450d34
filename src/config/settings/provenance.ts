import { isObject } from '../../util/json.ts';
import type { Layer } from './layers.ts';
import { mergeLayers, valueAt } from './merge.ts';
import type { Scope } from './scopes.ts';
import { nameOf } from './settings.ts';

/** One setting in force, with its source. */
export interface SettingOrigin {
  /** `['permissions', 'deny']`; the items of a list are separate, each with the path of the list. */
  path: readonly string[];
  value: unknown;
  scope: Scope;
  /** The file, or the flag. */
  source: string;
  isItem: boolean;
}

/** All settings in force, one by one, each with the strongest layer that sets it. `layers` is ordered by strength. */
export function originsOf(layers: readonly Layer[]): SettingOrigin[] {
  return leavesOf(mergeLayers(layers), []).flatMap(({ path, value, isItem }) => {
    const layer = layers.find(({ values }) => gives(valueAt(path, values), value, isItem));
    return layer ? [{ path, value, isItem, scope: layer.scope, source: nameOf(layer) }] : [];
  });
}

type Leaf = Pick<SettingOrigin, 'path' | 'value' | 'isItem'>;

function leavesOf(value: unknown, path: readonly string[]): Leaf[] {
  if (isObject(value) && (path.length === 0 || Object.keys(value).length > 0)) {
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  }
  if (Array.isArray(value) && value.length > 0) return value.map((item) => ({ path, value: item, isItem: true }));
  return [{ path, value, isItem: false }];
}

function gives(found: unknown, value: unknown, isItem: boolean): boolean {
  if (!isItem) return found !== undefined;
  return Array.isArray(found) && found.some((item) => JSON.stringify(item) === JSON.stringify(value));
}
