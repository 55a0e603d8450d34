import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../config/file-lock.ts';
import { changeJsonFile } from '../config/json-file.ts';
import { readJsonObject } from '../config/json-object.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import { smallText } from '../util/files/small-file.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { hasEnded, thisProcess } from '../util/process/process-alive.ts';
import { pluginError } from './plugin-error.ts';

/** Where the plugins of a user lie: the files and folders that other programs read as well. */
export interface PluginHome {
  configHome: string;
  /** The directory of the project, a real path. */
  cwd: string;
  /** The directory that `~` means; empty when there is none. */
  userHome: string;
  now(): number;
}

/** A marketplace that was added. */
export interface KnownMarketplace {
  name: string;
  source: JsonObject;
  /** Its copy here; for a directory, the directory. */
  installLocation: string;
  lastUpdated: string;
}

/** An installation of a plugin, with all that its record has. */
export interface PluginRecord extends JsonObject {
  scope: string;
  installPath: string;
  version: string;
}

export function pluginFolder({ configHome }: PluginHome, ...more: string[]): string {
  return join(configHome, 'plugins', ...more);
}

/** What a plugin keeps for itself: CLAUDE_PLUGIN_DATA. The folder exists from then on. */
export function pluginData(configHome: string, id: string): string {
  const folder = dataFolder(configHome, id);
  makeDirectory(folder, 0o700);
  return folder;
}

export function dataFolder(configHome: string, id: string): string {
  return join(configHome, 'plugins', 'data', id.replace(/[^\w.-]/g, '-'));
}

/** Values of plugins that are nobody else's business. */
export function secretsFile(configHome: string): string {
  return join(configHome, 'plugins', 'heddle-secrets.json');
}

const KNOWN = 'known_marketplaces.json';
const INSTALLED = 'installed_plugins.json';

/** Throws `plugin_failed` when the file cannot be read. */
export function knownMarketplaces(home: PluginHome): KnownMarketplace[] {
  return Object.entries(read(pluginFolder(home, KNOWN))).flatMap(([name, value]) => {
    const location = stringField(value, 'installLocation');
    if (!isObject(value) || !isObject(value.source) || location === undefined) return [];
    const lastUpdated = stringField(value, 'lastUpdated') ?? '';
    return [{ name, source: value.source, installLocation: location, lastUpdated }];
  });
}

export async function changeMarketplaces(
  home: PluginHome,
  change: (marketplaces: JsonObject) => JsonObject,
): Promise<void> {
  await changeJsonFile(pluginFolder(home, KNOWN), change);
}

/** The installations by plugin. Throws `plugin_failed` when the file cannot be read. */
export function installedPlugins(home: PluginHome): ReadonlyMap<string, PluginRecord[]> {
  const { plugins } = read(pluginFolder(home, INSTALLED));
  return new Map(
    Object.entries(isObject(plugins) ? plugins : {}).map(([id, raw]) => [
      id,
      (Array.isArray(raw) ? raw : [raw]).flatMap(recordOf),
    ]),
  );
}

/** Replaces the records of one plugin; an empty list removes it. */
export async function changeRecords(
  home: PluginHome,
  id: string,
  change: (records: readonly JsonObject[]) => readonly JsonObject[],
): Promise<void> {
  await changeJsonFile(pluginFolder(home, INSTALLED), (values) => {
    const { [id]: raw, ...others } = isObject(values.plugins) ? values.plugins : {};
    const after = change((Array.isArray(raw) ? raw : [raw]).filter(isObject));
    return { ...values, version: 2, plugins: after.length === 0 ? others : { ...others, [id]: after } };
  });
}

/** Whether a record is that of a scope, for the projects' scopes of this project. */
export function isOfScope({ cwd }: PluginHome, scope: string, record: JsonObject): boolean {
  if (record.scope !== scope) return false;
  return scope === 'user' || scope === 'managed' || record.projectPath === cwd;
}

/** A new folder that nothing else uses, on the same disk as the cache. The caller removes it. */
export function stagingFolder(home: PluginHome): string {
  const parent = pluginFolder(home, STAGING);
  makeDirectory(parent, 0o700);
  sweep(parent);
  const folder = join(parent, `${thisProcess().pid}-${randomBytes(6).toString('hex')}`);
  makeDirectory(folder, 0o700);
  return folder;
}

const STAGING = '.heddle-staging';

const ABANDONED_MS = 600_000;

/** Removes what processes left that were killed. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^(\d+)-/.exec(name)?.[1];
    if (pid === undefined || !hasEnded({ ...thisProcess(), pid: Number(pid) })) continue;
    // Another machine may have the same home, and a process of that id.
    const { mtimeMs = 0 } = statSync(join(parent, name), { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > ABANDONED_MS) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Replaces a folder. When the process dies in between, `restoreFolders` brings the old one back. */
export function replaceFolder(home: PluginHome, { from, to, name }: { from: string; to: string; name: string }): void {
  const old = pluginFolder(home, STAGING, `was-${name}`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(to)) renameSync(to, old);
  renameSync(from, to);
  rmSync(old, { recursive: true, force: true });
}

/** Completes what a killed process began: a folder that was put aside and has no successor returns. */
export function restoreFolders(home: PluginHome): void {
  const parent = pluginFolder(home, STAGING);
  if (!existsSync(parent)) return;
  for (const entry of readdirSync(parent).filter((each) => each.startsWith('was-'))) {
    const to = pluginFolder(home, 'marketplaces', entry.slice('was-'.length));
    if (existsSync(to)) rmSync(join(parent, entry), { recursive: true, force: true });
    else renameSync(join(parent, entry), to);
  }
}

const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Removes copies that nobody needs for a week, and that no process uses. */
export function sweepCache(home: PluginHome): void {
  const cache = pluginFolder(home, 'cache');
  const used = new Set([...installedPlugins(home).values()].flat().map(({ installPath }) => installPath));
  for (const folder of foldersBelow(cache, 3)) {
    const since = Number(smallText(join(folder, '.orphaned_at'), 100));
    const isOld = Number.isFinite(since) && since > 0 && home.now() - since > KEPT_MS;
    if (isOld && !used.has(folder) && !isInUse(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The other program names each process that uses a copy by a file with its id. */
function isInUse(folder: string): boolean {
  const marks = namesIn(join(folder, '.in_use'));
  return marks.some((name) => /^\d+$/.test(name) && !hasEnded({ ...thisProcess(), pid: Number(name) }));
}

function foldersBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [folder];
  return namesIn(folder).flatMap((name) => foldersBelow(join(folder, name), depth - 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is missing, or no folder
  }
}

const WAIT_MS = 15_000;
const PAUSE_MS = 50;
/** Copies of large plugins take longer than a lock counts as held. */
const RENEW_MS = 2000;

/**
 * One installer at a time: changes files while no other process does. Rejects with `plugin_failed`, which names the other
 * process, when it does not end in time. Downloads belong before it.
 */
export async function whileAlone<T>(home: PluginHome, work: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  const path = pluginFolder(home, 'heddle-install.lock');
  makeDirectory(pluginFolder(home), 0o700);
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock) {
      const renewing = setInterval(() => lock.renew(), RENEW_MS);
      try {
        restoreFolders(home);
        const result = await work();
        sweepCache(home);
        return result;
      } finally {
        clearInterval(renewing);
        lock.release();
      }
    }
    if (Date.now() > deadline) throw busy(path);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function busy(path: string): Error {
  const holder = tryParseJson(smallText(path, 4096) ?? '');
  const who = isObject(holder) && typeof holder.pid === 'number' ? `The process ${holder.pid}` : 'Another process';
  return pluginError(`${who} is installing plugins: try again when it has ended (${path})`);
}

function recordOf(value: unknown): PluginRecord[] {
  const installPath = stringField(value, 'installPath');
  if (!isObject(value) || installPath === undefined) return [];
  const scope = stringField(value, 'scope') ?? 'user';
  return [{ ...value, scope, installPath, version: stringField(value, 'version') ?? 'unknown' }];
}

function read(file: string): JsonObject {
  try {
    return readJsonObject(file) ?? {};
  } catch (error) {
    throw pluginError(`${file}: ${messageOf(error)}. Repair it, or move it away`, error);
  }
}
