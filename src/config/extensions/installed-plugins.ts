import { existsSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { readJsonObject } from './plugin-json.ts';

/** A plugin that settings name, where it lies on this machine. */
export interface InstalledPlugin {
  /** As settings name it: `name@marketplace`. */
  id: string;
  folder: string;
  /** What its marketplace says of it; counts where the folder has no manifest. */
  manifest: JsonObject | null;
}

export interface PluginPlaces {
  /** A real path. */
  cwd: string;
  /** Null: nothing can be installed. */
  configHome: string | null;
  /** What `~` stands for; empty when there is nothing. */
  userHome: string;
  /** Marketplaces that settings define, by name. */
  marketplaces: JsonObject;
}

/**
 * Finds a plugin that was installed, or that a marketplace in a directory of this machine lists. Nothing is ever fetched.
 * Throws an Error that says why there is none.
 */
export function findPlugin(id: string, places: PluginPlaces): InstalledPlugin {
  const at = id.lastIndexOf('@');
  if (at < 1 || at === id.length - 1) throw new Error('it must be named as plugin@marketplace');
  const wanted = { id, name: id.slice(0, at), marketplace: id.slice(at + 1) };
  const folder = installedFolder(wanted, places);
  if (folder !== null) return { id, folder, manifest: null };
  const listed = listedPlugin(wanted, places);
  if (listed) return listed;
  throw new Error('it is not installed here, and nothing is fetched from the network');
}

interface Wanted {
  id: string;
  name: string;
  marketplace: string;
}

/** What `installed_plugins.json` says, by its older form, one record for a plugin, and its newer one, a list of them. */
function installedFolder({ id, name, marketplace }: Wanted, { configHome, cwd }: PluginPlaces): string | null {
  if (configHome === null) return null;
  const home = join(configHome, 'plugins');
  const plugins = readNamed(join(home, 'installed_plugins.json'))?.plugins;
  const given = isObject(plugins) && Object.hasOwn(plugins, id) ? plugins[id] : undefined;
  const records = (Array.isArray(given) ? given : [given]).filter(isObject).filter((record) => isFor(record, cwd));
  // What was installed for this project goes before what was installed for all.
  const ordered = records.toSorted((a, b) => Number('projectPath' in b) - Number('projectPath' in a));
  const folders = ordered.flatMap((record) => {
    const path = stringField(record, 'installPath');
    const version = stringField(record, 'version');
    // A home that was moved or copied still has it in its own cache.
    const cached = version === undefined ? [] : [join(home, 'cache', marketplace, name, version)];
    return [...(path === undefined ? [] : [resolve(home, path)]), ...cached];
  });
  return folders.find(isDirectory) ?? null;
}

function isFor(record: JsonObject, cwd: string): boolean {
  const project = stringField(record, 'projectPath');
  return project === undefined || project === cwd;
}

/** What a marketplace in a directory lists. Null where there is no such marketplace, or its plugins lie elsewhere. */
function listedPlugin({ id, name, marketplace }: Wanted, places: PluginPlaces): InstalledPlugin | null {
  const root = marketplaceRoot(marketplace, places);
  if (root === null) return null;
  const file = join(root, '.claude-plugin', 'marketplace.json');
  const catalog = readNamed(file);
  if (!catalog) throw new Error(`the marketplace ${marketplace} has no ${file}`);
  const plugins = Array.isArray(catalog.plugins) ? catalog.plugins : [];
  const manifest = plugins.filter(isObject).find((plugin) => plugin.name === name);
  if (!manifest) throw new Error(`the marketplace ${marketplace} does not list it`);
  const source = stringField(manifest, 'source');
  if (source === undefined) return null;
  const base = source.startsWith('.') ? '.' : (stringField(catalog.metadata, 'pluginRoot') ?? '.');
  const folder = resolve(root, base, source);
  if (!isWithin(root, folder)) throw new Error(`${file}: ${source} leads out of the marketplace`);
  if (!isDirectory(folder)) throw new Error(`${file}: there is no ${source}`);
  return { id, folder, manifest };
}

/** Those of settings go before those that were added once. */
function marketplaceRoot(name: string, { cwd, configHome, userHome, marketplaces }: PluginPlaces): string | null {
  const known = configHome === null ? null : readNamed(join(configHome, 'plugins', 'known_marketplaces.json'));
  const found = [marketplaces, known].find((all) => isObject(all) && Object.hasOwn(all, name))?.[name];
  const source = isObject(found) ? found.source : undefined;
  const path = stringField(source, 'path');
  if (path === undefined) return null;
  const full = userHome !== '' && path.startsWith('~/') ? join(userHome, path.slice(2)) : resolve(cwd, path);
  switch (stringField(source, 'source')) {
    case 'directory':
      return full;
    case 'file':
      return basename(dirname(full)) === '.claude-plugin' ? dirname(dirname(full)) : dirname(full);
    default:
      return null;
  }
}

function readNamed(path: string): JsonObject | null {
  try {
    return readJsonObject(path);
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`);
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
