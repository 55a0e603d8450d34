import { existsSync } from 'node:fs';
import { withoutSetting, withSetting } from '../config/edit-settings.ts';
import { maskValue } from '../config/mask-settings.ts';
import { mergeLayers, originOf, valueAt } from '../config/merge.ts';
import { type FileScope, type SettingsPlaces, settingsPath } from '../config/scopes.ts';
import { formatKey, parseKey } from '../config/setting-key.ts';
import { actedOnKeys, isActedOn, nameOf } from '../config/settings.ts';
import { messageOf } from '../util/message-of.ts';
import { nearestWord } from '../util/nearest.ts';
import type { Logger } from '../util/runtime.ts';
import { randomIds, silentLogger, systemClock } from '../util/system-runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { openConfiguration } from './configuration.ts';
import { type LoadedSettings, noteIgnored } from './settings.ts';
import { changeSettingsFile, placeOf } from './settings-change.ts';
import { SCOPE_NAMES, type SettingsReport, settingsReport } from './settings-report.ts';

/** The scopes that have a file, by the names that users give them. */
export const FILE_SCOPES: Readonly<Record<string, FileScope>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

export interface SettingsOverview extends SettingsReport {
  directory: string;
  files: { scope: string; path: string; exists: boolean }[];
  /** What is wrong in them, and was left out. */
  faults: string[];
}

/** All settings of a launch, for `heddle config list`. Rejects with `invalid_settings` for what cannot be read. */
export async function listSettings(config: RunConfig, places: SettingsPlaces): Promise<SettingsOverview> {
  const faults: string[] = [];
  const loaded = await load(config, places, (_level, message) => faults.push(message));
  const ignored: string[] = [];
  noteIgnored(loaded.trust, (_level, message) => ignored.push(message)); // which the report has in its own words
  const report = settingsReport(loaded);
  const files = Object.entries(FILE_SCOPES).flatMap(([scope, fileScope]) => {
    const path = settingsPath(fileScope, places);
    return path === null ? [] : [{ scope, path, exists: existsSync(path) }];
  });
  return { ...report, directory: places.cwd, files, faults: faults.filter((each) => !ignored.includes(each)) };
}

/** The value in force, as it is; undefined when there is none. */
export async function getSetting(key: string, config: RunConfig, places: SettingsPlaces): Promise<unknown> {
  return valueAt(parseKey(key), mergeLayers((await load(config, places)).layers));
}

export interface SettingChange {
  scope: FileScope;
  key: string;
  /** Undefined takes the setting away. */
  value: unknown;
  /** Writes also what has no effect in this version. */
  force?: boolean;
}

export interface ChangedSetting {
  file: string;
  /** False when there was nothing to take away. */
  isChanged: boolean;
  /** What may surprise whoever changed it. */
  notes: string[];
}

/**
 * Changes one setting in its file. What the readers would refuse later is refused now, before the file is touched. A
 * project that the user trusts stays trusted: it is changed in their name.
 */
export async function changeSetting(change: SettingChange, places: SettingsPlaces): Promise<ChangedSetting> {
  const { scope } = change;
  const path = parseKey(change.key);
  const file = placeOf(scope, places);
  if (change.value !== undefined && !change.force) refuseWithoutEffect(path);
  if (change.value === undefined && !existsSync(file)) return { file, isChanged: false, notes: [] };
  let isChanged = true;
  await changeSettingsFile(scope, places, (values) => {
    const next = change.value === undefined ? withoutSetting(values, path) : withSetting(values, path, change.value);
    isChanged = next !== null;
    return next;
  });
  return { file, isChanged, notes: isChanged ? await notesOn(path, change, places) : [] };
}

/** The value of a setting as it may be shown. */
export function maskedSetting(key: string, value: unknown): unknown {
  return maskValue(value, parseKey(key));
}

/** The setting that was probably meant by a key that none has, as a question; empty otherwise. */
export function meantSetting(key: string): string {
  const path = parseKey(key);
  const near = isActedOn(path) ? null : nearestWord(formatKey(path), actedOnKeys());
  return near === null ? '' : `. Did you mean ${near}?`;
}

/** A misspelt key would be written, and nothing would come of it. */
function refuseWithoutEffect(path: readonly string[]): void {
  if (isActedOn(path)) return;
  const key = formatKey(path);
  const meant = meantSetting(key) || '.';
  throw new HeddleError(
    'invalid_option',
    `There is no setting ${key} that acts in this version${meant} --force writes it anyway`,
    { facts: { key } },
  );
}

async function notesOn(path: readonly string[], { scope, value }: SettingChange, places: SettingsPlaces) {
  if (value === undefined) return [];
  const notes: string[] = [];
  if (!isActedOn(path)) notes.push(`${formatKey(path)} has no effect in this version`);
  try {
    const { layers, trust } = await load({}, places);
    const origin = originOf(path, layers);
    if (origin === undefined)
      notes.push(`it does not act: the directory is ${trust.state}. \`heddle trust\` shows why`);
    else if (origin.scope !== scope && !Array.isArray(value)) {
      notes.push(`another one wins: ${SCOPE_NAMES[origin.scope]} (${nameOf(origin)})`);
    }
  } catch (error) {
    notes.push(messageOf(error)); // it is set, but another file cannot be read
  }
  return notes;
}

async function load(config: RunConfig, places: SettingsPlaces, log: Logger = silentLogger): Promise<LoadedSettings> {
  const runtime = { clock: systemClock(), ids: randomIds(), log };
  return (await openConfiguration(config, places, runtime)).loaded;
}
