import { flagLayer } from '../config/flag-settings.ts';
import { type BrokenFile, fileLayers, type Layer } from '../config/layers.ts';
import type { FileScope, SettingsPlaces } from '../config/scopes.ts';
import { isActedOn, nameOf, readSettings, type Settings } from '../config/settings.ts';
import { type Trust, trustOf } from '../config/trust-store.ts';
import type { Vouched } from '../config/vouched.ts';
import { narrowUntrusted, withoutEndpoints } from '../permissions/trust.ts';
import type { JsonObject } from '../util/json.ts';
import { isObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { managedLayer } from './managed-settings.ts';
import { soundLayer } from './sound-settings.ts';

/** The settings of a session, and how far its project was believed. */
export interface LoadedSettings {
  /** As they apply, the strongest first. */
  readonly layers: readonly Layer[];
  readonly settings: Settings;
  readonly trust: TrustReport;
}

/** What `init.trust` says. */
export interface TrustReport {
  /** `none`: the project has no settings that would need it. */
  state: Trust | 'none';
  /** What of the project's settings was left out. */
  ignored: { file: string; keys: string[] }[];
}

export interface SettingsSources {
  config: RunConfig;
  /** The files that are read. */
  scopes: readonly FileScope[];
  /** What the host has changed of the given settings since the launch; null takes a key back. */
  changes: JsonObject;
  /** What the launch answers for; null when that is nothing of the project. */
  vouched: Vouched | null;
  /** The session runs already: a file that has been broken since must not take back what it said before. */
  isLater?: boolean;
}

/**
 * Reads all settings of a launch: managed, given, local, project and user. Project files of an untrusted directory only
 * forbid (ruling G1), unless the launch itself answers for them. A value that cannot be used is said and left out, as is a
 * broken file of an untrusted directory; `invalid_settings` is thrown for any other broken file, and for values that
 * forbid something (ruling K53).
 */
export function loadSettings(
  { config, scopes, changes, vouched, isLater = false }: SettingsSources,
  places: SettingsPlaces,
  log: Logger,
): LoadedSettings {
  const { cwd } = places;
  const given: Layer[] = [];
  if (config.managedSettings !== undefined) given.push(managedLayer(config.managedSettings, cwd, log));
  const flags = flagLayer(config.settings, changes, { cwd, log });
  if (flags) given.push(flags);
  const broken: BrokenFile[] = [];
  const files = fileLayers(scopes, places, (file) => broken.push(file));
  const state = stateOf([...files, ...broken], vouched, places);
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

/** Behind what is wrong with a file. */
export const STARTS_WITHOUT = 'The directory is not trusted, so the run starts without this file.';

/** `--safe-mode`: what changes how the agent works does not act; rules, models and the environment stay. */
function withoutCustoms(layer: Layer): Layer {
  const { hooks: _hooks, enabledPlugins: _plugins, outputStyle: _style, ...values } = layer.values;
  return { ...layer, values };
}

/** Other keys are another version's. One that is nearly the name of a list of rules was meant to be it. */
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
  vouched: Vouched | null,
  places: SettingsPlaces,
): TrustReport['state'] {
  const ofProject = files.filter(({ scope }) => scope !== 'userSettings');
  if (ofProject.length === 0) return 'none';
  return projectTrust(vouched, places);
}

/** A launch that answered for the files as they were did not answer for what they have become. */
export function projectTrust(vouched: Vouched | null, { cwd, configHome }: SettingsPlaces): Trust {
  if (vouched?.covers()) return 'trusted';
  const trust = trustOf(cwd, configHome);
  return vouched && trust === 'untrusted' ? 'changed' : trust;
}

/** Says what of the project's settings does not apply, and what to do about it. */
export function noteIgnored({ state, ignored }: TrustReport, log: Logger): void {
  if (ignored.length === 0) return;
  const list = printable(ignored.map(({ file, keys }) => `${file} (${keys.join(', ')})`).join('; '));
  if (state === 'trusted') {
    log('warn', `A project does not decide where credentials are sent; ignored: ${list}`);
    return;
  }
  const why = state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
  log(
    'warn',
    `This directory ${why}, so these settings were ignored: ${list}. \`heddle trust\` or --trust lets them act.`,
  );
}
