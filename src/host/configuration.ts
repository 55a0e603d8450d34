import type { Change } from '../config/json-file.ts';
import type { FileScope, SettingsPlaces } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import type { Trust } from '../config/trust-store.ts';
import type { Policy } from '../permissions/policy.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Runtime } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { SessionHooks } from './hooks.ts';
import { isVouchedFor, withSettings } from './launch-settings.ts';
import type { Permissions, Stored } from './permissions.ts';
import type { LoadedSettings } from './settings.ts';
import { settingsStamp } from './settings-stamp.ts';

/** The settings of a session while it lives: read at its start, and again when a file or the host changes them. */
export interface Configuration {
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  /** The scopes whose other files count: servers, skills, commands, agents. */
  readonly scopes: readonly FileScope[];
  /** How far the project's files are believed now, whether or not settings are among them. */
  projectTrust(): Promise<Trust>;
  /** The launch with what settings add: these, or those in force. */
  launch(settings?: Settings): RunConfig;
  /**
   * Keeps permission updates in the files that they name, and tells which apply and how. Rejects with `invalid_settings`
   * when that cannot be done; then nothing has been written.
   */
  store(updates: readonly PermissionUpdate[], policy: Policy): Promise<Stored>;
  /**
   * Changes what `--settings` gave, key by key; null takes a key back. `accept` may still refuse what comes of it. When
   * this rejects, nothing has changed.
   */
  changeGiven(changes: JsonObject, accept: (settings: Settings) => Promise<void>): Promise<void>;
  /** Changes a settings file in the user's name. Rejects with `invalid_settings`; then nothing has changed. */
  changeFile(scope: FileScope, change: Change): Promise<void>;
  /**
   * The settings if they have changed since; null otherwise. A file that cannot be read any more is said: what it said
   * before stays, as it does when `accept` refuses what was read.
   */
  refresh(accept?: (next: LoadedSettings) => Promise<boolean>): Promise<Settings | null>;
}

const NOTHING: LoadedSettings = {
  layers: [],
  settings: { rules: [], additionalDirectories: [], isBypassDisabled: false, env: {} },
  trust: { state: 'none', ignored: [] },
};

/** Rejects with `invalid_settings` for what cannot be read: a rule might be in it (trust R-18). */
export async function openConfiguration(
  given: RunConfig,
  places: SettingsPlaces,
  { log }: Runtime,
): Promise<Configuration> {
  const config = given.bare ? (await import('./bare-launch.ts')).bareLaunch(given) : given;
  const scopes = sourcesOf(config);
  const isGiven = config.settings !== undefined || config.managedSettings !== undefined;
  const vouched = await vouchedBy(config, scopes, places);
  let stamp = settingsStamp(scopes, places);
  // Most runs have no settings at all; they do not load what reads them.
  let changes: JsonObject = {};
  let loaded = isGiven || stamp !== null ? await load(changes) : NOTHING;
  let isNew = false;

  async function load(given: JsonObject, isLater = false): Promise<LoadedSettings> {
    const { loadSettings, noteIgnored } = await import('./settings.ts');
    const found = loadSettings({ config, scopes, changes: given, vouched, isLater }, places, log);
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
    scopes: config.safeMode ? [] : scopes,
    async projectTrust() {
      const { projectTrust } = await import('./settings.ts');
      return projectTrust(vouched, places);
    },
    launch: (settings = loaded.settings) => ({
      ...withSettings(config, settings),
      // Of the places of settings nothing else counts.
      ...(config.safeMode && { settingSources: [] }),
    }),
    async store(updates, policy) {
      if (updates.every(({ destination }) => !destination.endsWith('Settings'))) {
        return { applied: updates.map((update) => ({ update, source: update.destination })) };
      }
      const { storeUpdates } = await import('./store-updates.ts');
      const isCovered = vouched?.covers() ?? false;
      const stored = await storeUpdates(updates, places, { scopes, isVouchedFor: isCovered, policy, log });
      if (isCovered) vouched?.renew();
      if (stored.failure) log('warn', stored.failure.message);
      return stored;
    },
    async changeGiven(given, accept) {
      const next = { ...changes, ...given };
      (await import('./settings-change.ts')).checkChanges(given, config);
      const found = await load(next, true);
      await accept(found.settings);
      changes = next;
      loaded = found;
      isNew = true;
    },
    async changeFile(scope, change) {
      const { changeSettingsFile } = await import('./settings-change.ts');
      const isCovered = vouched?.covers() ?? false;
      await changeSettingsFile(scope, places, change);
      if (isCovered) vouched?.renew();
    },
    async refresh(accept) {
      const now = settingsStamp(scopes, places);
      const given = isNew ? loaded.settings : null;
      isNew = false;
      if (now === stamp) return given;
      stamp = now;
      try {
        const found = await load(changes, true);
        if (accept && !(await accept(found))) return given;
        loaded = found;
        return loaded.settings;
      } catch (error) {
        log('warn', `${messageOf(error)}. The settings read before stay in force.`);
        return given;
      }
    },
  };
}

/** Rules that were changed in a file hold from the next turn on. */
export async function refreshRules({ configuration, permissions, runtime, hooks }: RuleHolders): Promise<void> {
  const settings = await configuration.refresh(hooks ? (next) => hooks.mayChange(next) : undefined);
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
  /** Asked before what has changed acts. */
  hooks?: Pick<SessionHooks, 'mayChange'> | null;
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

/** Null where the launch does not answer for the project's files, or does not read them. */
async function vouchedBy(config: RunConfig, scopes: readonly FileScope[], places: SettingsPlaces) {
  const readsProject = scopes.some((scope) => scope !== 'userSettings');
  if (!readsProject || !isVouchedFor(config)) return null;
  const { vouchFor } = await import('../config/vouched.ts');
  return vouchFor(places.cwd);
}
