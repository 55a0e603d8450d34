import { findPlugin } from '../config/extensions/installed-plugins.ts';
import { readPlugin } from '../config/extensions/plugins.ts';
import { settingsPath } from '../config/settings/scopes.ts';
import { readSettingsFile } from '../config/settings/settings-file.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { catalogOf } from './catalog.ts';
import { SETTINGS_OF } from './marketplaces.ts';
import {
  installedPlugins,
  isOfScope,
  type KnownMarketplace,
  knownMarketplaces,
  type PluginHome,
} from './plugin-home.ts';
import { linesFor, lockFile, readLock, standingOf } from './plugin-lock.ts';

/** An installed plugin, as lists show it. The field names are those of other programs. */
export interface InstalledRow {
  id: string;
  version: string;
  scope: string;
  enabled: boolean;
  installPath: string;
  installedAt: string;
  lastUpdated: string;
  projectPath?: string;
  /** Whether the settings of the project enable it. */
  projectEnabled: boolean;
  /** Its marketplace is a directory, which is read instead of the copy. */
  readFromFolder?: string;
  folderVersion?: string;
  /** Whether all of it acts: `accepted`, or why only its texts do. */
  state: 'accepted' | 'unknown' | 'changed';
}

export interface AvailableRow {
  pluginId: string;
  name: string;
  description: string;
  marketplaceName: string;
  version?: string;
  source: unknown;
}

/** The plugins that are installed for this directory. */
export function listInstalled(home: PluginHome): InstalledRow[] {
  const lock = readLock(lockFile(home.configHome));
  const settings = Object.keys(SETTINGS_OF).map((scope) => enabledIn(home, scope));
  const [, ofProject] = settings;
  return [...installedPlugins(home)].flatMap(([id, records]) =>
    records
      .filter((record) => isOfScope(home, record.scope, record))
      .map((record): InstalledRow => {
        const folder = folderOf(home, id) ?? record.installPath;
        const text = (key: string) => stringField(record, key) ?? '';
        return {
          ...{ id, version: record.version, scope: record.scope },
          enabled: settings.findLast((each) => Object.hasOwn(each, id))?.[id] === true,
          ...{ installPath: record.installPath, installedAt: text('installedAt'), lastUpdated: text('lastUpdated') },
          ...(typeof record.projectPath === 'string' && { projectPath: record.projectPath }),
          projectEnabled: ofProject?.[id] === true,
          ...(folder !== record.installPath && { readFromFolder: folder, ...folderVersion(home, id) }),
          state: stateOf(folder, linesFor(lock.get(id), home.cwd)),
        };
      }),
  );
}

/** What the marketplaces list and is not installed. `problems`: marketplaces that cannot be read. */
export function listAvailable(home: PluginHome): { available: AvailableRow[]; problems: string[] } {
  const installed = new Set(listInstalled(home).map(({ id }) => id));
  const problems: string[] = [];
  const available = knownMarketplaces(home).flatMap((known) => rowsOf(known, problems));
  return { available: available.filter(({ pluginId }) => !installed.has(pluginId)), problems };
}

function rowsOf(known: KnownMarketplace, problems: string[]): AvailableRow[] {
  try {
    const { entries } = catalogOf(known);
    return entries.map(({ name, values }) => ({
      pluginId: `${name}@${known.name}`,
      name,
      description: stringField(values, 'description') ?? '',
      marketplaceName: known.name,
      ...(typeof values.version === 'string' && { version: values.version }),
      source: values.source,
    }));
  } catch (error) {
    problems.push(messageOf(error));
    return [];
  }
}

/** The folder that a session would read; null when there is none. */
export function folderOf(home: PluginHome, id: string): string | null {
  try {
    return pluginAsRead(home, id).folder;
  } catch {
    return null;
  }
}

/** As a session finds it. Throws an Error with the reason when it is missing. */
export function pluginAsRead(home: PluginHome, id: string) {
  const { extraKnownMarketplaces } = readScope(home, 'user');
  const marketplaces = isObject(extraKnownMarketplaces) ? extraKnownMarketplaces : {};
  return findPlugin(id, { cwd: home.cwd, configHome: home.configHome, userHome: home.userHome, marketplaces });
}

/** The version that its directory has now, which need not be the installed one. */
function folderVersion(home: PluginHome, id: string): { folderVersion?: string } {
  try {
    const { folder, entry } = pluginAsRead(home, id);
    const { version } = readPlugin(folder, { notes: { warn() {}, ignore() {} }, entry });
    return version === undefined ? {} : { folderVersion: version };
  } catch {
    return {}; // the list says in another column that it cannot be used
  }
}

function stateOf(folder: string, lines: ReturnType<typeof linesFor>): InstalledRow['state'] {
  const standing = standingOf(folder, lines);
  return standing.line ? 'accepted' : standing.why;
}

function enabledIn(home: PluginHome, scope: string): JsonObject {
  const { enabledPlugins } = readScope(home, scope);
  return isObject(enabledPlugins) ? enabledPlugins : {};
}

/** The settings of one scope; empty when there are none. */
export function readScope({ cwd, configHome }: PluginHome, scope: string): JsonObject {
  const fileScope = Object.hasOwn(SETTINGS_OF, scope) ? SETTINGS_OF[scope] : undefined;
  const path = fileScope && settingsPath(fileScope, { cwd, configHome });
  return (path && readSettingsFile(path)) || {};
}
