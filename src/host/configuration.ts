import { statSync } from 'node:fs';
import { type FileScope, type SettingsPlaces, settingsPath } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import { errorCode } from '../util/error-code.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Runtime } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { isVouchedFor, withSettings } from './launch-settings.ts';
import type { Permissions } from './permissions.ts';
import type { LoadedSettings } from './settings.ts';

/** The settings of a session while it lives: read at its start, and again when a file or the host changes them. */
export interface Configuration {
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  /** The launch with what settings add: these, or those in force. */
  launch(settings?: Settings): RunConfig;
  /**
   * Keeps permission updates in the files that they name. Rejects with `invalid_settings` when that cannot be done.
   * Resolves with the updates as they apply: one for a file that is not in force here holds for the session.
   */
  store(updates: readonly PermissionUpdate[]): Promise<readonly PermissionUpdate[]>;
  /**
   * Changes what `--settings` gave, key by key; null takes a key back. `accept` may still refuse what comes of it. When
   * this rejects, nothing has changed.
   */
  changeGiven(changes: JsonObject, accept: (settings: Settings) => Promise<void>): Promise<void>;
  /** The settings if they have changed since; null otherwise. A file that cannot be read any more is said: what it said before stays. */
  refresh(): Promise<Settings | null>;
}

const NOTHING: LoadedSettings = {
  layers: [],
  settings: { rules: [], additionalDirectories: [], isBypassDisabled: false, env: {} },
  trust: { state: 'none', ignored: [] },
};

/** Rejects with `invalid_settings` for what cannot be read: a rule might be in it (trust R-18). */
export async function openConfiguration(
  config: RunConfig,
  places: SettingsPlaces,
  { log }: Runtime,
): Promise<Configuration> {
  const scopes = sourcesOf(config);
  const isGiven = config.settings !== undefined || config.managedSettings !== undefined;
  let stamp = stampOf(scopes, places);
  // Most runs have no settings at all; they do not load what reads them.
  let changes: JsonObject = {};
  let loaded = isGiven || stamp !== null ? await load(changes) : NOTHING;
  let isNew = false;

  async function load(given: JsonObject): Promise<LoadedSettings> {
    const { loadSettings, noteIgnored } = await import('./settings.ts');
    const found = loadSettings({ config, scopes, changes: given }, places, log);
    noteIgnored(found.trust, log);
    return found;
  }

  return {
    get settings() {
      return loaded.settings;
    },
    get loaded() {
      return loaded;
    },
    launch: (settings = loaded.settings) => withSettings(config, settings),
    async store(updates) {
      if (updates.every(({ destination }) => !destination.endsWith('Settings'))) return updates;
      const { storeUpdates } = await import('./store-updates.ts');
      return storeUpdates(updates, places, { scopes, isVouchedFor: isVouchedFor(config) });
    },
    async changeGiven(given, accept) {
      const next = { ...changes, ...given };
      const found = await load(next);
      await accept(found.settings);
      changes = next;
      loaded = found;
      isNew = true;
    },
    async refresh() {
      const now = stampOf(scopes, places);
      const given = isNew ? loaded.settings : null;
      isNew = false;
      if (now === stamp) return given;
      stamp = now;
      try {
        loaded = await load(changes);
        return loaded.settings;
      } catch (error) {
        log('warn', `${messageOf(error)}. The settings read before stay in force.`);
        return given;
      }
    },
  };
}

/** Rules that were changed in a file hold from the next turn on. */
export async function refreshRules({ configuration, permissions, runtime }: RuleHolders): Promise<void> {
  const settings = await configuration.refresh();
  if (!settings) return;
  try {
    permissions.useSettings(settings);
  } catch (error) {
    runtime.log('warn', `${messageOf(error)}. The rules read before stay in force.`);
  }
}

interface RuleHolders {
  configuration: Configuration;
  permissions: Permissions;
  runtime: Runtime;
}

const SOURCES: Record<string, FileScope> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

/** The files that a launch reads: those it names, else all (ruling K1). */
function sourcesOf({ settingSources }: RunConfig): FileScope[] {
  if (settingSources === undefined) return Object.values(SOURCES);
  return settingSources
    .filter((name) => name !== '')
    .map((name) => {
      const scope = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
      if (scope) return scope;
      throw new HeddleError('invalid_option', `--setting-sources takes user, project and local, not '${name}'`);
    });
}

/** In which state the files are; the same as long as nobody changes one. Null: there are none. */
function stampOf(scopes: readonly FileScope[], places: SettingsPlaces): string | null {
  const stamps = scopes.map((scope) => {
    const path = settingsPath(scope, places);
    const stamp = path === null ? '' : stampOfFile(path);
    return stamp === '' ? '' : `${scope}.${stamp}`;
  });
  return stamps.every((each) => each === '') ? null : stamps.join(' ');
}

/** Empty for a file that is not there. One that cannot be looked at counts as there: reading it will say why. */
function stampOfFile(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}.${size}.${mtimeMs}`;
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : 'unreadable';
  }
}
