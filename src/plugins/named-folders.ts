import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from '../util/files/make-directory.ts';
import { integrityOf } from './integrity.ts';
import { pluginError } from './plugin-error.ts';
import { type PluginHome, pluginFolder, stagingFolder } from './plugin-home.ts';
import { download } from './sources/download.ts';
import { MAX_BYTES } from './sources/safe-names.ts';
import type { FetchTools } from './sources/tools.ts';
import { unpack, unpackedRoot } from './sources/unpack.ts';

export interface NamedFolder {
  /** A folder, an archive, or an address. */
  folder: string;
  isUrl?: boolean;
}

/**
 * The folders of the plugins that a launch names: a plugin itself, a folder of plugins, an archive of this machine, or one
 * at an address. Archives are unpacked into the config home. Rejects with `plugin_failed`, or an error of the system.
 */
export async function namedFolders(
  { folder, isUrl = false }: NamedFolder,
  home: Pick<PluginHome, 'cwd'> & { configHome: string | null },
  tools: Pick<FetchTools, 'fetch' | 'signal'>,
): Promise<string[]> {
  if (isUrl) {
    const [url = '', sha256] = folder.split('#sha256=');
    const all = { ...tools, env: {}, run: neverRuns, report() {} };
    return pluginsIn(unpacked(await download({ url, sha256 }, all), folder, home));
  }
  const path = resolve(home.cwd, folder);
  const stats = statSync(path);
  if (stats.isDirectory()) return pluginsIn(path);
  if (!/\.(zip|tgz|tar\.gz|tar)$/i.test(path) || !stats.isFile()) return [path];
  if (stats.size > MAX_BYTES) throw pluginError(`it has more than ${MAX_BYTES / 1024 / 1024} MB`);
  return pluginsIn(unpacked(readFileSync(path), path, home));
}

/** A folder that is no plugin but holds some stands for all of them. */
function pluginsIn(folder: string): string[] {
  const names = readdirSync(folder);
  if (names.some((name) => CONTENTS.has(name)) || isPlugin(folder)) return [folder];
  const inner = names.sort().map((name) => join(folder, name));
  const plugins = inner.filter(isPlugin);
  return plugins.length > 0 ? plugins : [folder];
}

function isPlugin(folder: string): boolean {
  return existsSync(join(folder, '.claude-plugin', 'plugin.json'));
}

/** What makes a folder a plugin. A marketplace may hold plugins, too. */
const CONTENTS: ReadonlySet<string> = new Set([
  ...['skills', 'commands', 'agents', 'hooks', 'output-styles', 'bin', '.mcp.json', '.lsp.json', 'SKILL.md'],
]);

/** Unpacked again each time, because a copy could have been changed; the same content stays in its folder for others. */
function unpacked(archive: Buffer, what: string, { cwd, configHome }: Parameters<typeof namedFolders>[1]): string {
  if (configHome === null) throw pluginError('it is an archive, and there is no config home to unpack it in');
  const home: PluginHome = { configHome, cwd, userHome: '', now: Date.now };
  const hash = createHash('sha256').update(archive).digest('hex').slice(0, 32);
  const to = pluginFolder(home, 'heddle-unpacked', hash);
  const staging = stagingFolder(home);
  try {
    const fresh = join(staging, 'plugin');
    unpack(archive, fresh, what);
    if (existsSync(to) && integrityOf(to).integrity === integrityOf(fresh).integrity) return unpackedRoot(to);
    makeDirectory(dirname(to), 0o700);
    if (existsSync(to)) renameSync(to, join(staging, 'old'));
    renameSync(fresh, to);
    return unpackedRoot(to);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function neverRuns(): never {
  throw pluginError('an archive starts no program');
}
