import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Catalog, CatalogEntry } from '../catalog.ts';
import { checkRepo } from '../marketplace-source.ts';
import { pluginError } from '../plugin-error.ts';
import { copyTree } from './copy-tree.ts';
import { download } from './download.ts';
import { checkOut, folderIn, githubUrl } from './git.ts';
import { fetchPackage } from './npm.ts';
import type { FetchTools } from './tools.ts';
import { unpack, unpackedRoot } from './unpack.ts';

export interface FetchedPlugin {
  /** A new folder with nothing but its files. */
  folder: string;
  /** Of a repository. */
  commit?: string;
}

/** A plugin as its marketplace names it. */
export interface ListedPlugin {
  catalog: Catalog;
  entry: CatalogEntry;
  /** Whether addresses of this machine count: the marketplace itself is of this machine. */
  mayBeLocal: boolean;
}

/** Brings the files of a plugin into a folder below `staging`. Rejects with `plugin_failed`. */
export async function fetchPlugin(plugin: ListedPlugin, staging: string, tools: FetchTools): Promise<FetchedPlugin> {
  const { entry, mayBeLocal } = plugin;
  const to = join(staging, 'plugin');
  const { source } = entry.values;
  const what = `The plugin ${entry.name}`;
  if (typeof source === 'string') {
    const { folder, root } = relativeFolder(plugin, source);
    copyTree({ from: folder, root, what }, to);
    return { folder: to };
  }
  const text = (key: string) => requiredText(source, key, what);
  const optional = (key: string) => stringField(source, key);
  const fetched = join(staging, 'fetched');
  const kind = stringField(source, 'source') ?? '';
  switch (kind) {
    case 'github':
      checkRepo(text('repo'));
      return fromGit({ url: githubUrl(text('repo')), path: optional('path') ?? '.' });
    case 'url':
    case 'git':
      return fromGit({ url: text('url'), path: optional('path') ?? '.' });
    case 'git-subdir':
      return fromGit({ url: text('url'), path: text('path') });
    case 'npm': {
      const { registry, version } = { registry: optional('registry'), version: optional('version') };
      const root = await fetchPackage({ package: text('package'), version, registry }, fetched, tools);
      copyTree({ from: root, root, what }, to);
      return { folder: to };
    }
    case 'archive': {
      const archive = await download({ url: text('url'), sha256: optional('sha256') }, tools);
      unpack(archive, fetched, what);
      copyTree({ from: unpackedRoot(fetched), root: fetched, what }, to);
      return { folder: to };
    }
    case 'command':
      throw pluginError(
        `${what} is found by running a command of its marketplace, which is not supported: nothing of a plugin runs before you have accepted it. Fetch it yourself, and name its folder with --plugin-dir`,
      );
    default:
      throw pluginError(`${what} has the source '${kind}', which this version does not know`);
  }

  async function fromGit({ url, path }: { url: string; path: string }): Promise<FetchedPlugin> {
    const { ref, sha } = { ref: optional('ref'), sha: optional('sha') };
    const commit = await checkOut({ url: withScheme(url), ref, sha, mayBeLocal }, fetched, tools);
    const folder = folderIn(fetched, path);
    if (!isFolder(folder)) throw pluginError(`${what}: the repository has no folder ${path}`);
    copyTree({ from: folder, root: fetched, what }, to);
    return { folder: to, commit };
  }
}

/** The folder of a plugin that lies in its marketplace. Throws `plugin_failed` when it does not. */
export function relativeFolder({ catalog, entry }: Pick<ListedPlugin, 'catalog' | 'entry'>, source: string) {
  const { root, pluginRoot } = catalog;
  const what = `The plugin ${entry.name}`;
  if (root === null) throw pluginError(`${what} lies in its marketplace, of which there is only the list here`);
  const folder = resolve(root, source.startsWith('.') ? '.' : pluginRoot, source);
  if (!isInside(root, folder) || source.split('/').includes('..')) {
    throw pluginError(`${what}: '${source}' leads out of the marketplace`);
  }
  if (!isFolder(folder)) throw pluginError(`${what}: there is no folder ${source} in the marketplace`);
  return { folder, root };
}

/** `owner/repo` stands for a repository on GitHub. */
function withScheme(url: string): string {
  return /^[A-Za-z0-9][\w.-]*\/[\w.-]+$/.test(url) ? githubUrl(url.replace(/\.git$/, '')) : url;
}

function requiredText(source: unknown, key: string, what: string): string {
  const found = isObject(source) ? stringField(source as JsonObject, key) : undefined;
  if (found !== undefined && found !== '') return found;
  throw pluginError(`${what}: its source has no ${key}`);
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
