import { type Check, either, flag, listOf, oneOf, record, text, word } from '../util/checks.ts';
import type { JsonObject } from '../util/json.ts';
import { randomIds, silentLogger, systemClock } from '../util/system-runtime.ts';
import { badOption, checkNamed } from '../wire/check-named.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { openConfiguration } from './configuration.ts';
import { configHomeOrNull, type Env } from './home.ts';
import { realDirectory } from './place.ts';
import type { TrustReport } from './settings.ts';
import {
  type IgnoredSettings,
  type ReportedSetting,
  type SettingsSource,
  settingsReport,
  settingsSources,
} from './settings-report.ts';

export interface ResolveSettingsOptions {
  cwd: string;
  /** Where HEDDLE_HOME, CLAUDE_CONFIG_DIR and HOME are looked up. Default: nothing, so that there is no user's file. */
  env?: Env;
  /** The config home. Default: from `env`. */
  home?: string;
  /** Which files are read. Naming the project's answers for them. Default: all, the project's as far as it is trusted. */
  settingSources?: ('user' | 'project' | 'local')[];
  /** What a launch would give: the settings, as an object or JSON, or the path of a file with them. */
  settings?: JsonObject | string;
  managedSettings?: JsonObject | string;
  /** Whether to answer for the project's files. */
  trust?: boolean;
}

/** What `get_settings` of a session would tell. Values of credentials are masked. */
export interface ResolvedSettings {
  effective: JsonObject;
  /** The strongest first. */
  sources: SettingsSource[];
  /** One by one, the items of lists too, each with where it stands. */
  provenance: ReportedSetting[];
  ignored: IgnoredSettings[];
  trust: TrustReport['state'];
}

/**
 * The settings that a session there would have, and where each stands. No session is opened and nothing is started.
 * Rejects with `invalid_settings` for what cannot be read, and `invalid_option` for a directory that is none.
 *
 * @example
 * ```ts
 * const { effective, provenance } = await resolveSettings({ cwd: process.cwd(), env: { HOME: process.env.HOME } });
 * console.log(effective, provenance);
 * ```
 */
export async function resolveSettings(options: ResolveSettingsOptions): Promise<ResolvedSettings> {
  checkNamed(options, CHECKS, {
    before: 'resolveSettings: ',
    noObject: (kind) => `resolveSettings needs options, got ${kind}: ${USUAL}`,
    unknown: (name, meant) =>
      `resolveSettings: there is no option '${name}'${meant ? `; did you mean '${meant}'?` : `: ${USUAL}`}`,
  });
  if (options.cwd === undefined) throw badOption('cwd', `resolveSettings needs cwd: ${USUAL}`);
  const { settingSources, settings, managedSettings, trust } = options;
  const config: RunConfig = {
    ...(settingSources && { settingSources }),
    ...(settings !== undefined && { settings: asText(settings) }),
    ...(managedSettings !== undefined && { managedSettings: asText(managedSettings) }),
    ...(trust !== undefined && { trust }),
  };
  const places = { cwd: realDirectory(options.cwd, 'cwd'), configHome: homeOf(options) };
  const runtime = { clock: systemClock(), ids: randomIds(), log: silentLogger };
  const { loaded } = await openConfiguration(config, places, runtime);
  const { effective, settings: provenance, ignored, trust: state } = settingsReport(loaded);
  return { effective, sources: settingsSources(loaded), provenance, ignored, trust: state };
}

const USUAL = 'resolveSettings({ cwd: process.cwd(), env: process.env })';
const settingsGiven = either('an object, JSON text or a path', text, record);

const CHECKS: Record<keyof ResolveSettingsOptions, Check> = {
  cwd: word,
  env: record,
  home: word,
  settingSources: listOf(oneOf(['user', 'project', 'local'])),
  settings: settingsGiven,
  managedSettings: settingsGiven,
  trust: flag,
};

function asText(settings: JsonObject | string): string {
  return typeof settings === 'string' ? settings : JSON.stringify(settings);
}

function homeOf({ home, env = {} }: ResolveSettingsOptions): string | null {
  return home ?? configHomeOrNull(env);
}
