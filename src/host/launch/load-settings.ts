import { flagLayer } from '../../config/settings/flag-settings.ts';
import { type BrokenFile, fileLayers, type Layer } from '../../config/settings/layers.ts';
import type { FileScope, SettingsDirectories } from '../../config/settings/scopes.ts';
import { isActedOn, nameOf, readSettings, type Settings } from '../../config/settings/settings.ts';
import type { TrustedByLaunch } from '../../config/trusted-by-launch.ts';
import { narrowUntrusted, withoutEndpoints } from '../../permissions/narrow-untrusted.ts';
import type { JsonObject } from '../../util/json.ts';
import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { managedLayer } from './managed-settings.ts';
import { projectTrust, type TrustReport } from './project-trust.ts';
import { soundLayer } from './usable-settings.ts';

/** The settings of a session, and the trust in its project. */
export interface LoadedSettings {
  /** The layers in force, the strongest first. */
  readonly layers: readonly Layer[];
  readonly settings: Settings;
  readonly trust: TrustReport;
}

export interface SettingsSources {
  config: RunConfig;
  /** The files that are read. */
  scopes: readonly FileScope[];
  /** The host's changes of the given settings since the launch; null resets a key. */
  changes: JsonObject;
  /** The project's files that the launch vouches for; null: none. */
  trustedByLaunch: TrustedByLaunch | null;
  /** Whether the session runs already. A file that has become unreadable since must not remove its earlier settings. */
  isLater?: boolean;
}

/**
 * Reads all settings of a launch: managed, given, local, project and user.
 * - Project files of an untrusted directory can only forbid, unless the launch vouches for them.
 * - An invalid value, and a broken file of an untrusted directory, is logged and left out.
 * - Throws `invalid_settings` for any other broken file, and for an invalid value that would forbid something: the run
 *   must not start with fewer restrictions than were asked for.
 */
export function loadSettings(
  { config, scopes, changes, trustedByLaunch, isLater = false }: SettingsSources,
  directories: SettingsDirectories,
  log: Logger,
): LoadedSettings {
  const { cwd } = directories;
  const given: Layer[] = [];
  if (config.managedSettings !== undefined) given.push(managedLayer(config.managedSettings, cwd, log));
  const flags = flagLayer(config.settings, changes, { cwd, log });
  if (flags) given.push(flags);
  const broken: BrokenFile[] = [];
  const files = fileLayers(scopes, directories, (file) => broken.push(file));
  const state = stateOf([...files, ...broken], trustedByLaunch, directories);
  for (const file of broken) {
    if (isLater || file.scope === 'userSettings' || state === 'trusted') throw file.error;
    log('warn', `${messageOf(file.error)}. ${STARTS_WITHOUT}`);
  }
  const ignored: TrustReport['ignored'] = [];
  const believed = files.map((layer): Layer => {
    if (layer.scope === 'userSettings') return layer;
    const { values, ignored: keys } =
      state === 'trusted' ? withoutEndpoints(layer.values) : narrowUntrusted(layer.values);
    if (keys.length > 0) ignored.push({ file: nameOf(layer), keys });
    return { ...layer, values };
  });
  for (const layer of believed) noteMisspelt(layer, log);
  const said = [...given, ...(config.safeMode ? believed.map(withoutCustoms) : believed)];
  const layers = said.map((layer) => soundLayer(layer, config, log));
  return { layers, settings: readSettings(layers), trust: { state, ignored } };
}

/** Follows the description of a fault in a file. */
export const STARTS_WITHOUT = 'The directory is not trusted, so the run starts without this file.';

/** `--safe-mode`: drops settings that change how the agent works; rules, models and the environment stay. */
function withoutCustoms(layer: Layer): Layer {
  const { hooks: _hooks, enabledPlugins: _plugins, outputStyle: _style, ...values } = layer.values;
  return { ...layer, values };
}

/** Warns about a key that is nearly the name of a list of rules. Other unknown keys may belong to another version. */
function noteMisspelt(layer: Layer, log: Logger): void {
  const { permissions } = layer.values;
  const names = [
    ...nearMisses(layer.values, ['permissions']),
    ...(isObject(permissions) ? nearMisses(permissions, ['allow', 'deny', 'ask']) : []),
  ];
  for (const { key, meant } of names) {
    log('warn', `${nameOf(layer)}: ${printable(key)} has no effect. Did you mean ${meant}?`);
  }
}

function nearMisses(values: JsonObject, known: readonly string[]): { key: string; meant: string }[] {
  return Object.keys(values).flatMap((key) => {
    const meant = isActedOn([key]) || known.includes(key) ? null : nearestWord(key, known);
    return meant === null ? [] : [{ key, meant }];
  });
}

function stateOf(
  files: readonly Pick<Layer, 'scope'>[],
  trustedByLaunch: TrustedByLaunch | null,
  directories: SettingsDirectories,
): TrustReport['state'] {
  const ofProject = files.filter(({ scope }) => scope !== 'userSettings');
  if (ofProject.length === 0) return 'none';
  return projectTrust(trustedByLaunch, directories);
}
