import { statSync } from 'node:fs';
import { type FileScope, fileLayers, type Layer, type SettingsPlaces, settingsPath } from '../config/layers.ts';
import { nameOf, readSettings, type Settings } from '../config/settings.ts';
import { type Trust, trustOf } from '../config/trust-store.ts';
import { ALIASES_VARIABLE, LIMITS_VARIABLE } from '../model/model-table.ts';
import { narrowUntrusted, withoutEndpoints } from '../permissions/trust.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { flagLayer } from './flag-settings.ts';
import type { Env } from './home.ts';
import { managedLayer } from './managed-settings.ts';

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

const SOURCES: Record<string, FileScope> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

/**
 * Reads all settings of a launch: managed, given, local, project and user. Project files of an untrusted directory only
 * forbid (ruling G1), unless the host itself named them as a source. Throws `invalid_settings` for what cannot be read.
 */
export function loadSettings(config: RunConfig, places: SettingsPlaces, log: Logger): LoadedSettings {
  const { cwd } = places;
  const given: Layer[] = [];
  if (config.managedSettings !== undefined) given.push(managedLayer(config.managedSettings, cwd, log));
  if (config.settings !== undefined) given.push(flagLayer(config.settings, cwd, log));
  const files = fileLayers(sourcesOf(config), places);
  const state = stateOf(files, config, places);
  const ignored: TrustReport['ignored'] = [];
  const believed = files.map((layer): Layer => {
    if (layer.scope === 'userSettings') return layer;
    const { values, ignored: keys } =
      state === 'trusted' ? withoutEndpoints(layer.values) : narrowUntrusted(layer.values);
    if (keys.length > 0) ignored.push({ file: nameOf(layer), keys });
    return { ...layer, values };
  });
  const layers = [...given, ...believed];
  return { layers, settings: readSettings(layers), trust: { state, ignored } };
}

/** In which state the files are from which settings are read. Two launches with the same answer read the same. */
export function settingsStamp(config: RunConfig, places: SettingsPlaces): string {
  const paths = sourcesOf(config).map((scope) => settingsPath(scope, places));
  return paths.map((path) => (path === null ? '' : stampOf(path))).join(' ');
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino}.${stats.size}.${stats.mtimeMs}` : '-';
}

function stateOf(
  files: readonly Layer[],
  config: RunConfig,
  { cwd, configHome }: SettingsPlaces,
): TrustReport['state'] {
  const ofProject = files.filter(({ scope }) => scope !== 'userSettings');
  if (ofProject.length === 0) return 'none';
  const isNamed = config.settingSources !== undefined; // by the host, which thereby answers for them
  return config.trust === true || isNamed ? 'trusted' : trustOf(cwd, configHome);
}

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

/** Says what of the project's settings does not apply, and what to do about it. */
export function noteIgnored({ state, ignored }: TrustReport, log: Logger): void {
  if (ignored.length === 0) return;
  const list = ignored.map(({ file, keys }) => `${file} (${keys.join(', ')})`).join('; ');
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

/** The launch with what the settings add: a flag always wins over a setting. */
export function withSettings(config: RunConfig, settings: Settings): RunConfig {
  const { model, fallbackModel, effortLevel, autoCompactEnabled, fileCheckpointingEnabled } = settings;
  const fromSettings: RunConfig = {
    ...(model !== undefined && { model }),
    ...(fallbackModel !== undefined && { fallbackModel }),
    ...(effortLevel !== undefined && { effort: effortLevel }),
    ...(autoCompactEnabled === false && { autoCompact: 'off' }),
    ...(fileCheckpointingEnabled !== undefined && { fileCheckpointing: fileCheckpointingEnabled }),
  };
  const addDir = [...(config.addDir ?? []), ...settings.additionalDirectories];
  return { ...fromSettings, ...config, ...(addDir.length > 0 && { addDir }) };
}

/** The environment of a session: the launch's, changed by the settings' `env` and their tables of models. */
export function withSettingsEnv(env: Env, { env: changes, modelAliases, modelLimits }: Settings): Env {
  return {
    ...env,
    ...changes,
    ...(modelAliases && { [ALIASES_VARIABLE]: JSON.stringify(modelAliases) }),
    ...(modelLimits && { [LIMITS_VARIABLE]: JSON.stringify(modelLimits) }),
  };
}
