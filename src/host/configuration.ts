import type { SettingsPlaces } from '../config/layers.ts';
import type { Settings } from '../config/settings.ts';
import { isFileScope, storeUpdate } from '../config/store-update.ts';
import { setTrust, trustOf } from '../config/trust-store.ts';
import { messageOf } from '../util/message-of.ts';
import type { Runtime } from '../util/runtime.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Permissions } from './permissions.ts';
import { type LoadedSettings, loadSettings, noteIgnored, settingsStamp } from './settings.ts';

/** The settings of a session while it lives: read at its start, and again when a file changes. */
export interface Configuration {
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  /** Keeps a permission update in the file that it names. Throws `invalid_settings` when that cannot be done. */
  store(update: PermissionUpdate): void;
  /** The settings if a file has changed since; null otherwise. One that cannot be read any more is said: what it said before stays. */
  refresh(): Settings | null;
}

export function openConfiguration(config: RunConfig, places: SettingsPlaces, runtime: Runtime): Configuration {
  const { log } = runtime;
  let stamp = settingsStamp(config, places);
  let loaded = loadSettings(config, places, log);
  noteIgnored(loaded.trust, log);

  return {
    get settings() {
      return loaded.settings;
    },
    get loaded() {
      return loaded;
    },
    store(update) {
      if (!isFileScope(update.destination)) return;
      const { cwd, configHome } = places;
      const isTrusted = trustOf(cwd, configHome) === 'trusted';
      storeUpdate(update, places);
      // The user changed the project's files through us: that is no reason to distrust them.
      if (isTrusted && configHome !== null) setTrust(cwd, configHome, { isTrusted, now: runtime.clock.now() });
    },
    refresh() {
      const now = settingsStamp(config, places);
      if (now === stamp) return null;
      stamp = now;
      try {
        loaded = loadSettings(config, places, () => {});
        noteIgnored(loaded.trust, log);
        return loaded.settings;
      } catch (error) {
        log('warn', `${messageOf(error)}. The settings read before stay in force.`);
        return null;
      }
    },
  };
}

/** Rules that were changed in a file hold from the next turn on. */
export function refreshRules({ configuration, permissions, runtime }: RuleHolders): void {
  const settings = configuration.refresh();
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
