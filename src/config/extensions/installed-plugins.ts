import { existsSync, realpathSync, statSync } from 'node:fs';
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
  /** What its marketplace says of it; null where no marketplace of this machine lists it. */
  entry: JsonObject | null;
  /** The version that was installed, where a record has one. */
  version?: string;
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
 * Finds a plugin that is installed, or that a marketplace in a directory of this machine lists: such a marketplace is
 * read where it is, and a copy that was installed from it does not count. It never downloads anything. Throws an Error
 * with the reason when the plugin is missing.
 */
export function findPlugin(id: string, directories: PluginDirectories): InstalledPlugin {
  const at = id.lastIndexOf('@');
  if (at < 1 || at === id.length - 1) throw new Error('it must be named as plugin@marketplace');
  const wanted = { id, name: id.slice(0, at), marketplace: id.slice(at + 1) };
  const market = marketplaceOf(wanted.marketplace, directories);
  const installed = installedFolder(wanted, directories);
  if (!market) {
    if (installed) return { id, ...installed, entry: null };
    throw new Error(NOT_HERE);
  }
  const listed = listedPlugin(wanted, market, { isInstalled: installed !== null });
  if (listed?.folder != null) return { id, folder: listed.folder, entry: listed.entry };
  if (installed) return { id, ...installed, entry: listed?.entry ?? null };
  throw new Error(NOT_HERE);
}

const NOT_HERE = 'it is not installed here, and nothing is fetched from the network';

interface Wanted {
  id: string;
  name: string;
  marketplace: string;
}

/**
 * The folder in `installed_plugins.json`. Older files have one record for each plugin, newer ones a list of records.
 */
function installedFolder(
  { id, name, marketplace }: Wanted,
  { configHome, cwd }: PluginDirectories,
): { folder: string; version?: string } | null {
  if (configHome === null) return null;
  const home = join(configHome, 'plugins');
  const plugins = readNamed(join(home, 'installed_plugins.json'))?.plugins;
  const raw = isObject(plugins) && Object.hasOwn(plugins, id) ? plugins[id] : undefined;
  const records = (Array.isArray(raw) ? raw : [raw]).filter(isObject).filter((record) => isFor(record, cwd));
  // A plugin that is installed for this project wins over one that is installed for all.
  const ordered = records.toSorted((a, b) => Number('projectPath' in b) - Number('projectPath' in a));
  const found = ordered.flatMap((record) => {
    const path = stringField(record, 'installPath');
    const version = stringField(record, 'version');
    // A config home that was moved or copied still has the plugin in its own cache.
    const cached = version === undefined ? [] : [join(home, 'cache', marketplace, name, version)];
    const folders = [...(path === undefined ? [] : [resolve(home, path)]), ...cached];
    return folders.map((folder) => ({ folder, ...(version !== undefined && { version }) }));
  });
  return found.find(({ folder }) => isDirectory(folder)) ?? null;
}

function isFor(record: JsonObject, cwd: string): boolean {
  const project = stringField(record, 'projectPath');
  return project === undefined || project === cwd;
}

/** What a marketplace of this machine says of a plugin; `folder` where the marketplace is read in place. */
function listedPlugin(
  { name, marketplace }: Wanted,
  { root, isInPlace, catalog: file }: Marketplace,
  { isInstalled }: { isInstalled: boolean },
): { entry: JsonObject; folder: string | null } | null {
  const catalog = readNamed(file);
  if (!catalog) {
    if (isInstalled) return null;
    throw new Error(`the marketplace ${marketplace} has no ${file}`);
  }
  const plugins = Array.isArray(catalog.plugins) ? catalog.plugins : [];
  const entry = plugins.filter(isObject).find((plugin) => plugin.name === name);
  if (!entry) {
    if (isInstalled) return null;
    throw new Error(`the marketplace ${marketplace} does not list it`);
  }
  const source = stringField(entry, 'source');
  if (!isInPlace || source === undefined) return { entry, folder: null };
  const base = source.startsWith('.') ? '.' : (stringField(catalog.metadata, 'pluginRoot') ?? '.');
  const folder = resolve(root, base, source);
  if (!isInside(root, folder)) throw new Error(`${file}: ${source} leads out of the marketplace`);
  if (!isDirectory(folder)) throw new Error(`${file}: there is no ${source}`);
  if (!isInside(realpathSync(root), realpathSync(folder))) throw new Error(`${folder} leads out of the marketplace`);
  return { entry, folder };
}

interface Marketplace {
  root: string;
  /** The file that lists its plugins. */
  catalog: string;
  /** Its plugins are read where they are. */
  isInPlace: boolean;
}

const CATALOG = join('.claude-plugin', 'marketplace.json');

/** Marketplaces of settings win over those that the user added once. */
function marketplaceOf(
  name: string,
  { cwd, configHome, userHome, marketplaces }: PluginDirectories,
): Marketplace | null {
  const known = configHome === null ? null : readNamed(join(configHome, 'plugins', 'known_marketplaces.json'));
  const [first, second] = [marketplaces, known].map((all) =>
    isObject(all) && Object.hasOwn(all, name) && isObject(all[name]) ? all[name] : undefined,
  );
  const source = (first ?? second)?.source;
  const path = stringField(source, 'path');
  const kind = stringField(source, 'source');
  if (path !== undefined && (kind === 'directory' || kind === 'file')) {
    const full = userHome !== '' && path.startsWith('~/') ? join(userHome, path.slice(2)) : resolve(cwd, path);
    if (kind === 'directory') return { root: full, catalog: join(full, CATALOG), isInPlace: true };
    const folder = dirname(full);
    return { root: basename(folder) === '.claude-plugin' ? dirname(folder) : folder, catalog: full, isInPlace: true };
  }
  const copy = stringField(second, 'installLocation');
  if (copy === undefined || !existsSync(copy)) return null;
  return { root: copy, catalog: isDirectory(copy) ? join(copy, CATALOG) : copy, isInPlace: false };
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
