import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { readJsonObject } from '../json-object.ts';

/** A plugin that settings name, with its folder on this machine. */
export interface InstalledPlugin {
  /** As settings name it: `name@marketplace`. */
  id: string;
  folder: string;
  /** The manifest in its marketplace. Used where the folder has no manifest. */
  manifest: JsonObject | null;
}

export interface PluginDirectories {
  /** A real path. */
  cwd: string;
  /** Null: there is no config home, so no plugin is installed. */
  configHome: string | null;
  /** The directory that `~` means; empty when there is none. */
  userHome: string;
  /** Marketplaces that settings define, by name. */
  marketplaces: JsonObject;
}

/**
 * Finds a plugin that is installed, or that a marketplace in a directory of this machine lists. It never downloads
 * anything. Throws an Error with the reason when the plugin is missing.
 */
export function findPlugin(id: string, directories: PluginDirectories): InstalledPlugin {
  const at = id.lastIndexOf('@');
  if (at < 1 || at === id.length - 1) throw new Error('it must be named as plugin@marketplace');
  const wanted = { id, name: id.slice(0, at), marketplace: id.slice(at + 1) };
  const folder = installedFolder(wanted, directories);
  if (folder !== null) return { id, folder, manifest: null };
  const listed = listedPlugin(wanted, directories);
  if (listed) return listed;
  throw new Error('it is not installed here, and nothing is fetched from the network');
}

interface Wanted {
  id: string;
  name: string;
  marketplace: string;
}

/**
 * The folder in `installed_plugins.json`. Older files have one record for each plugin, newer ones a list of records.
 */
function installedFolder({ id, name, marketplace }: Wanted, { configHome, cwd }: PluginDirectories): string | null {
  if (configHome === null) return null;
  const home = join(configHome, 'plugins');
  const plugins = readNamed(join(home, 'installed_plugins.json'))?.plugins;
  const raw = isObject(plugins) && Object.hasOwn(plugins, id) ? plugins[id] : undefined;
  const records = (Array.isArray(raw) ? raw : [raw]).filter(isObject).filter((record) => isFor(record, cwd));
  // A plugin that is installed for this project wins over one that is installed for all.
  const ordered = records.toSorted((a, b) => Number('projectPath' in b) - Number('projectPath' in a));
  const folders = ordered.flatMap((record) => {
    const path = stringField(record, 'installPath');
    const version = stringField(record, 'version');
    // A config home that was moved or copied still has the plugin in its own cache.
    const cached = version === undefined ? [] : [join(home, 'cache', marketplace, name, version)];
    return [...(path === undefined ? [] : [resolve(home, path)]), ...cached];
  });
  return folders.find(isDirectory) ?? null;
}

function isFor(record: JsonObject, cwd: string): boolean {
  const project = stringField(record, 'projectPath');
  return project === undefined || project === cwd;
}

/**
 * A plugin that a marketplace in a directory lists. Null where the marketplace is missing or stores its plugins
 * elsewhere.
 */
function listedPlugin({ id, name, marketplace }: Wanted, directories: PluginDirectories): InstalledPlugin | null {
  const root = marketplaceRoot(marketplace, directories);
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
  if (!isInside(root, folder)) throw new Error(`${file}: ${source} leads out of the marketplace`);
  if (!isDirectory(folder)) throw new Error(`${file}: there is no ${source}`);
  return { id, folder, manifest };
}

/** Marketplaces of settings win over those that the user added once. */
function marketplaceRoot(name: string, { cwd, configHome, userHome, marketplaces }: PluginDirectories): string | null {
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

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
