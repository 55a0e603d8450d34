import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change } from '../config/json-file.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import { isObject } from '../util/json.ts';
import { lineOf } from './examine.ts';
import { integrityOf } from './integrity.ts';
import { shownSource } from './marketplace-source.ts';
import { type PluginStore, settingsScope } from './marketplaces.ts';
import {
  changeRecords,
  installedPlugins,
  isOfScope,
  type PluginHome,
  pluginFolder,
  whileAlone,
} from './plugin-home.ts';
import { changeLock, type LockLine, lockFile, projectLockFile } from './plugin-lock.ts';
import type { PreparedPlugin } from './prepare-install.ts';

/** Installs what a person has accepted, or replaces the version before by it. */
export async function installPlugin(store: PluginStore, prepared: PreparedPlugin): Promise<void> {
  await whileAlone(store.home, async () => {
    for (const step of installSteps(store, prepared)) await step();
  });
}

/**
 * The steps of an installation. Each leaves files that are whole, so that a process which dies between two of them leaves
 * the old state or the new one: the record decides which folder counts, and both contents are accepted while it changes.
 */
export function installSteps(store: PluginStore, prepared: PreparedPlugin): (() => Promise<void>)[] {
  const { home } = store;
  const { id, marketplace, name, version, scope, commit, examined, before, entry } = prepared;
  const parts = [marketplace, name, version.replace(/[^\w.+-]/g, '-').replace(/^\.+/, '')];
  const { folder, isThere } = cacheFolder(pluginFolder(home, 'cache', ...parts), prepared.folder);
  const projectPath = scope === 'user' ? {} : { projectPath: home.cwd };
  const now = home.now();
  const line = lineOf(examined, {
    ...{ scope, ...projectPath, source: entry.values.source, now },
    ...(commit !== undefined && { commit }),
  });
  const others = (lines: readonly LockLine[]) => lines.filter((each) => !isOfScope(home, scope, { ...each }));
  return [
    async () => {
      makeDirectory(dirname(folder), 0o700);
      if (isThere) rmSync(join(folder, ORPHANED), { force: true });
      else renameSync(prepared.folder, folder);
    },
    () => changeLock(lockFile(home.configHome), id, (lines) => [...lines.filter((each) => !isEqual(each, line)), line]),
    () =>
      changeRecords(home, id, (records) => {
        const old = records.find((record) => isOfScope(home, scope, record));
        const { gitCommitSha: _old, ...kept } = old ?? {};
        const time = new Date(now).toISOString();
        const record = {
          ...{ ...kept, scope, ...projectPath, installPath: folder, version },
          installedAt: typeof kept.installedAt === 'string' ? kept.installedAt : time,
          lastUpdated: time,
          ...(commit !== undefined && { gitCommitSha: commit }),
        };
        return [...records.filter((each) => each !== old), record];
      }),
    () => enableUnlessSet(store, id, scope),
    () => changeLock(lockFile(home.configHome), id, (lines) => [...others(lines), line]),
    async () => {
      if (scope !== 'project') return;
      const { stamp: _ofThisMachine, projectPath: _path, source, ...rest } = line;
      const shared = {
        ...rest,
        ...(source !== undefined && { source: isObject(source) ? shownSource(source) : source }),
      };
      await changeLock(projectLockFile(home.cwd), id, () => [shared]);
    },
    async () => {
      if (before) markOrphaned(home, before.record.installPath);
    },
  ];
}

const ORPHANED = '.orphaned_at';

/** Another content of the same version gets another folder; the same content is used as it is. */
function cacheFolder(folder: string, fetched: string): { folder: string; isThere: boolean } {
  if (!existsSync(folder)) return { folder, isThere: false };
  if (hasSameContent(folder, fetched)) return { folder, isThere: true };
  return { folder: `${folder}-${randomBytes(4).toString('hex')}`, isThere: false };
}

function hasSameContent(folder: string, other: string): boolean {
  try {
    return integrityOf(folder).integrity === integrityOf(other).integrity;
  } catch {
    return false; // it cannot be checked
  }
}

/** An update leaves it as the user has set it, and what a killed process has begun is completed. */
export async function enableUnlessSet({ changeSettings }: PluginStore, id: string, scope: string): Promise<void> {
  await changeSettings(settingsScope(scope), (values) => {
    const isSet = isObject(values.enabledPlugins) && Object.hasOwn(values.enabledPlugins, id);
    return isSet ? null : withPlugin(id, true)(values);
  });
}

/** Sets whether a plugin is used; undefined forgets it. */
export function withPlugin(id: string, isEnabled: boolean | undefined): Change {
  return (values) => {
    const { [id]: was, ...others } = isObject(values.enabledPlugins) ? values.enabledPlugins : {};
    if (was === isEnabled) return null;
    return { ...values, enabledPlugins: isEnabled === undefined ? others : { ...others, [id]: isEnabled } };
  };
}

/** Says that nobody needs a copy any more. A session may still use it, so that it stays. */
export function markOrphaned(home: PluginHome, folder: string): void {
  const used = [...installedPlugins(home).values()].flat().some(({ installPath }) => installPath === folder);
  const isOurs = folder.startsWith(`${pluginFolder(home, 'cache')}/`);
  if (used || !isOurs || !existsSync(folder)) return;
  writeFileSync(join(folder, ORPHANED), String(home.now()), { mode: 0o600 });
}

function isEqual(one: LockLine, other: LockLine): boolean {
  return one.scope === other.scope && one.projectPath === other.projectPath && one.integrity === other.integrity;
}
