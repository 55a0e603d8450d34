import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readJsonObject } from '../config/json-object.ts';
import { isInside } from '../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { checkedName, pluginError } from './plugin-error.ts';
import type { KnownMarketplace } from './plugin-home.ts';

/** What a marketplace lists. */
export interface Catalog {
  name: string;
  /** The folder below which its own plugins lie; null where it is a single file from elsewhere. */
  root: string | null;
  /** Relative sources without a dot begin here, below `root`. */
  pluginRoot: string;
  description: string;
  entries: CatalogEntry[];
  /** Entries that cannot be used, each as a sentence. */
  problems: string[];
}

export interface CatalogEntry {
  name: string;
  /** All that the marketplace says. */
  values: JsonObject;
}

const FILE = join('.claude-plugin', 'marketplace.json');

/** More than the largest collection has. */
const MAX_ENTRIES = 5000;

/** The catalog of a marketplace that was added. Throws `plugin_failed` when it cannot be read. */
export function catalogOf({ name, source, installLocation }: KnownMarketplace): Catalog {
  return { ...readCatalog(installLocation, source), name };
}

/** `location`: the folder of a marketplace, or its list alone. `source`: where it comes from. */
export function readCatalog(location: string, source: JsonObject): Catalog {
  if (source.source === 'settings') return parseCatalog(source, { file: 'The settings', root: null });
  if (!existsSync(location)) throw pluginError(`There is no ${location}: heddle plugin marketplace update fetches it`);
  const isFolder = statSync(location).isDirectory();
  const file = isFolder ? join(location, ofRepository(source) ?? FILE) : location;
  const values = readList(file, isFolder ? location : null);
  if (!values) throw pluginError(`There is no ${file}, so that ${location} is no marketplace`);
  return parseCatalog(values, {
    file,
    root: rootOf(location, { isFolder, kind: stringField(source, 'source') ?? '' }),
  });
}

function readList(file: string, root: string | null): JsonObject | null {
  try {
    if (root !== null && existsSync(file) && !isInside(realpathSync(root), realpathSync(file))) {
      throw new Error('it is a link that leads out of the marketplace');
    }
    return readJsonObject(file);
  } catch (error) {
    throw pluginError(`${file}: ${messageOf(error)}`, error);
  }
}

/** Where a repository has its list, if not in the usual place. */
function ofRepository(source: JsonObject): string | null {
  const path = source.source === 'git' || source.source === 'github' ? stringField(source, 'path') : undefined;
  return path === undefined || path.split('/').includes('..') ? null : path;
}

/** Throws `plugin_failed` when the whole cannot be used. */
export function parseCatalog(values: JsonObject, { file, root }: { file: string; root: string | null }): Catalog {
  const name = checkedName(values.name, 'marketplace');
  if (!Array.isArray(values.plugins)) throw pluginError(`${file}: plugins must be a list`);
  if (values.plugins.length > MAX_ENTRIES) throw pluginError(`${file}: it lists more than ${MAX_ENTRIES} plugins`);
  const entries: CatalogEntry[] = [];
  const problems: string[] = [];
  for (const [at, value] of values.plugins.entries()) {
    const problem = problemOf(value, entries);
    if (problem !== null) problems.push(`plugins[${at}]: ${problem}`);
    else if (isObject(value)) entries.push({ name: String(value.name), values: value });
  }
  return {
    name,
    root,
    pluginRoot: stringField(values.metadata, 'pluginRoot') ?? '.',
    description: stringField(values.metadata, 'description') ?? stringField(values, 'description') ?? '',
    entries,
    problems,
  };
}

/** The entry of a plugin. Throws `plugin_failed` when the marketplace has none of that name. */
export function entryOf({ name: marketplace, entries, problems }: Catalog, name: string): CatalogEntry {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const broken = problems.length === 0 ? '' : ` (${problems.length} of its entries cannot be used)`;
  throw pluginError(`The marketplace ${marketplace} has no plugin ${name}${broken}: heddle plugin list --available`);
}

/** The folder of a marketplace that is read where it is. */
function rootOf(location: string, { isFolder, kind }: { isFolder: boolean; kind: string }): string | null {
  if (isFolder) return location;
  if (kind === 'url' || kind === 'settings') return null;
  const folder = dirname(location);
  return basename(folder) === '.claude-plugin' ? dirname(folder) : folder;
}

function problemOf(value: unknown, before: readonly CatalogEntry[]): string | null {
  if (!isObject(value)) return 'it must be an object';
  try {
    const name = checkedName(value.name, 'plugin');
    if (before.some((entry) => entry.name === name)) return `there is another plugin ${name}`;
  } catch (error) {
    return messageOf(error);
  }
  const isSource = typeof value.source === 'string' || isObject(value.source);
  return isSource ? null : `the plugin ${String(value.name)} has no source`;
}
