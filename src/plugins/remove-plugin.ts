import { existsSync, rmSync } from 'node:fs';
import { markOrphaned, withPlugin } from './install-plugin.ts';
import type { PluginStore } from './marketplaces.ts';
import { SETTINGS_OF, settingsScope } from './marketplaces.ts';
import { pluginError, splitId } from './plugin-error.ts';
import {
  changeRecords,
  dataFolder,
  installedPlugins,
  isOfScope,
  type PluginHome,
  type PluginRecord,
  whileAlone,
} from './plugin-home.ts';
import { changeLock, lockFile, projectLockFile } from './plugin-lock.ts';

export interface InstalledHere {
  id: string;
  record: PluginRecord;
}

/**
 * The installation that a person names, in a scope or in the only one that there is. Throws `plugin_failed` when there is
 * none, or more than one.
 */
export function findInstalled(home: PluginHome, given: string, scope?: string): InstalledHere {
  const { name, marketplace } = splitId(given);
  const here = [...installedPlugins(home)].flatMap(([id, records]) => {
    const isMeant = marketplace === null ? id.startsWith(`${name}@`) : id === given;
    const visible = records.filter((record) => isOfScope(home, scope ?? record.scope, record));
    return isMeant ? visible.map((record) => ({ id, record })) : [];
  });
  const [first, second] = here;
  if (first && !second) return first;
  if (!first) {
    const where = scope === undefined ? '' : ` in the scope ${scope}`;
    throw pluginError(`${given} is not installed here${where}: heddle plugin list shows what is`);
  }
  const ids = new Set(here.map(({ id }) => id));
  if (ids.size > 1) throw pluginError(`Several plugins have that name: ${[...ids].join(', ')}`);
  throw pluginError(
    `${given} is installed in several scopes (${here.map(({ record }) => record.scope).join(', ')}): say which with --scope`,
  );
}

/** Uninstalls a plugin in a scope. Its copy stays for sessions that use it; its data stays unless it is asked for. */
export async function removePlugin(
  { home, changeSettings }: PluginStore,
  { id, record }: InstalledHere,
  { withData }: { withData: boolean },
): Promise<void> {
  const { scope } = record;
  await whileAlone(home, async () => {
    if (Object.hasOwn(SETTINGS_OF, scope)) await changeSettings(settingsScope(scope), withPlugin(id, undefined));
    await changeRecords(home, id, (records) => records.filter((each) => !isOfScope(home, scope, each)));
    await changeLock(lockFile(home.configHome), id, (lines) =>
      lines.filter((each) => !isOfScope(home, scope, { ...each })),
    );
    if (scope === 'project' && existsSync(projectLockFile(home.cwd)))
      await changeLock(projectLockFile(home.cwd), id, () => []);
    markOrphaned(home, record.installPath);
    const isLast = (installedPlugins(home).get(id) ?? []).length === 0;
    if (withData && isLast) rmSync(dataFolder(home.configHome, id), { recursive: true, force: true });
  });
}
