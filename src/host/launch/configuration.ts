import type { Change } from '../../config/json-file.ts';
import type { FileScope, SettingsDirectories } from '../../config/settings/scopes.ts';
import type { Settings } from '../../config/settings/settings.ts';
import type { Trust } from '../../config/trust-store.ts';
import { trustByLaunch } from '../../config/trusted-by-launch.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { AppliedUpdate } from '../../permissions/updates.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { isTrustedByLaunch, withSettings } from './apply-settings.ts';
import { changeSettingsFile, checkChanges } from './change-settings-file.ts';
import type { LoadedSettings } from './load-settings.ts';
import { noteIgnored, projectTrust } from './project-trust.ts';
import { settingsStamp } from './settings-fingerprint.ts';
import { storeUpdates } from './store-permission-updates.ts';

/** The settings of a session, read at its start, and again when a file or the host changes them. */
export interface Configuration {
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  /** The scopes whose other files are read: servers, skills, commands, agents. */
  readonly scopes: readonly FileScope[];
  /** Where the files of the project and of the user are. */
  readonly directories: SettingsDirectories;
  /** The trust in the project's files now, with or without settings among them. */
  projectTrust(): Promise<Trust>;
  /** The launch with the values that these settings add; default: the settings in force. */
  launch(settings?: Settings): RunConfig;
  /**
   * Saves permission updates in the files that they name, and returns which of them apply and how. Rejects with
   * `invalid_settings`, before anything is written, when an update cannot be saved.
   */
  store(updates: readonly PermissionUpdate[], policy: Policy): Promise<StoredUpdates>;
  /**
   * Changes the settings of `--settings` key by key; null resets a key. `accept` may refuse the result. When this
   * rejects, nothing has changed.
   */
  changeLaunchSettings(changes: JsonObject, accept: (settings: Settings) => Promise<void>): Promise<void>;
  /** Changes a settings file for the user. Rejects with `invalid_settings`; then nothing has changed. */
  changeFile(scope: FileScope, change: Change): Promise<void>;
  /**
   * The settings if they have changed since the last call; null otherwise. Logs a file that can no longer be read. The
   * old settings stay in force after such a file, and when `accept` refuses the new ones.
   */
  refresh(accept?: (next: LoadedSettings) => Promise<boolean>): Promise<Settings | null>;
}

const NOTHING: LoadedSettings = {
  layers: [],
  settings: {
    rules: [],
    additionalDirectories: [],
    isBypassDisabled: false,
    enforcement: 'auto',
    asksForCi: false,
    env: {},
  },
  trust: { state: 'none', ignored: [] },
};

/** The permission updates that files took, and why the others were not written. */
export interface StoredUpdates {
  applied: readonly AppliedUpdate[];
  /** Why the other updates do not apply. */
  failure?: HeddleError;
}

/** Rejects with `invalid_settings` for a file that cannot be read: it may contain a rule that forbids something. */
export async function openConfiguration(
  launched: RunConfig,
  directories: SettingsDirectories,
  { log }: Runtime,
): Promise<Configuration> {
  const config = launched.bare ? bareLaunch(launched) : launched;
  const scopes = sourcesOf(config);
  const isGiven = config.settings !== undefined || config.managedSettings !== undefined;
  const trustedByLaunch = await trustOfLaunch(config, scopes, directories);
  let stamp = settingsStamp(scopes, directories);
  // Loads the code that reads settings only when there are some: most runs have none.
  let changes: JsonObject = {};
  let loaded = isGiven || stamp !== null ? await load(changes) : NOTHING;
  let isNew = false;

  async function load(given: JsonObject, isLater = false): Promise<LoadedSettings> {
    const { loadSettings } = await import('./load-settings.ts');
    const found = loadSettings({ config, scopes, changes: given, trustedByLaunch, isLater }, directories, log);
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
    directories,
    async projectTrust() {
      return projectTrust(trustedByLaunch, directories);
    },
    launch: (settings = loaded.settings) => ({
      ...withSettings(config, settings),
      // Safe mode reads no further files of settings.
      ...(config.safeMode && { settingSources: [] }),
    }),
    async store(updates, policy) {
      if (updates.every(({ destination }) => !destination.endsWith('Settings'))) {
        return { applied: updates.map((update) => ({ update, source: update.destination })) };
      }
      const isCovered = trustedByLaunch?.covers() ?? false;
      const stored = await storeUpdates(updates, directories, { scopes, isTrustedByLaunch: isCovered, policy, log });
      if (isCovered) trustedByLaunch?.renew();
      if (stored.failure) log('warn', stored.failure.message);
      return stored;
    },
    async changeLaunchSettings(given, accept) {
      const next = { ...changes, ...given };
      checkChanges(given, config);
      const found = await load(next, true);
      await accept(found.settings);
      changes = next;
      loaded = found;
      isNew = true;
    },
    async changeFile(scope, change) {
      const isCovered = trustedByLaunch?.covers() ?? false;
      await changeSettingsFile(scope, directories, change);
      if (isCovered) trustedByLaunch?.renew();
    },
    async refresh(accept) {
      const now = settingsStamp(scopes, directories);
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

const SOURCES: Record<string, FileScope> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

/** The scopes of files that a launch reads: those that it names, otherwise all. */
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

/** Null when the launch does not vouch for the project's files, or does not read them. */
async function trustOfLaunch(config: RunConfig, scopes: readonly FileScope[], directories: SettingsDirectories) {
  const readsProject = scopes.some((scope) => scope !== 'userSettings');
  if (!readsProject || !isTrustedByLaunch(config)) return null;
  return trustByLaunch(directories.cwd);
}

/** `--bare`: reads only the files that the launch names, and offers few tools unless the launch names others. */
function bareLaunch(config: RunConfig): RunConfig {
  const { settingSources = [], tools = ['Bash', 'Read', 'Edit', 'Write'] } = config;
  return { ...config, settingSources, tools };
}
