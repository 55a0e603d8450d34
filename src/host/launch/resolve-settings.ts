import { type Check, either, flag, listOf, oneOf, record, text, word } from '../../util/checks.ts';
import type { JsonObject } from '../../util/json.ts';
import { randomIds, silentLogger, systemClock } from '../../util/system-runtime.ts';
import { badOption, checkNamed } from '../../wire/check-named.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { configHomeOrNull, type Env } from '../engine/environment.ts';
import { openConfiguration } from './configuration.ts';
import { realDirectory } from './launch-context.ts';
import type { TrustReport } from './project-trust.ts';
import {
  type IgnoredSettings,
  type ReportedSetting,
  type SettingsSource,
  settingsReport,
  settingsSources,
} from './settings-report.ts';

export interface ResolveSettingsOptions {
  cwd: string;
  /** Names the config home by HEDDLE_HOME, CLAUDE_CONFIG_DIR or HOME. Default: empty, so that no user file is read. */
  env?: Env;
  /** The config home. Default: from `env`. */
  home?: string;
  /**
   * Which files are read. Naming the project's files trusts them. Default: all, the project's as far as it is trusted.
   */
  settingSources?: ('user' | 'project' | 'local')[];
  /** The settings of a launch: an object, JSON, or the path of a file. */
  settings?: JsonObject | string;
  managedSettings?: JsonObject | string;
  /** Whether to trust the project's files. */
  trust?: boolean;
}

/** The answer of a session to `get_settings`. Values of credentials are masked. */
export interface ResolvedSettings {
  effective: JsonObject;
  /** The strongest first. */
  sources: SettingsSource[];
  /** Each setting, and each item of a list, with its origin. */
  provenance: ReportedSetting[];
  ignored: IgnoredSettings[];
  trust: TrustReport['state'];
}

/**
 * The settings of a session in a directory, and the origin of each. No session is opened and no program is started.
 * Rejects with `invalid_settings` for a file that cannot be read, and `invalid_option` for an invalid directory.
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
