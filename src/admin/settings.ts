import { existsSync } from 'node:fs';
import { withoutSetting, withSetting } from '../config/settings/edit-settings.ts';
import { maskValue } from '../config/settings/mask-settings.ts';
import { mergeLayers, originOf, valueAt } from '../config/settings/merge.ts';
import { type FileScope, type SettingsDirectories, settingsPath } from '../config/settings/scopes.ts';
import { formatKey, parseKey } from '../config/settings/setting-key.ts';
import { actedOnKeys, isActedOn, nameOf } from '../config/settings/settings.ts';
import { changeSettingsFile, settingsFileOf } from '../host/launch/change-settings-file.ts';
import { openConfiguration } from '../host/launch/configuration.ts';
import type { LoadedSettings } from '../host/launch/load-settings.ts';
import { noteIgnored } from '../host/launch/project-trust.ts';
import { SCOPE_NAMES, type SettingsReport, settingsReport } from '../host/launch/settings-report.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { randomIds, silentLogger, systemClock } from '../util/system-runtime.ts';
import { nearestWord } from '../util/text/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** The scopes that have a file, by the names that users give them. */
export const FILE_SCOPES: Readonly<Record<string, FileScope>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

export interface SettingsOverview extends SettingsReport {
  directory: string;
  files: { scope: string; path: string; exists: boolean }[];
  /** Errors in the settings; the settings concerned are left out. */
  faults: string[];
}

/**
 * All settings of a launch, for `heddle config list`. Rejects with `invalid_settings` for a file that cannot be read.
 */
export async function listSettings(config: RunConfig, directories: SettingsDirectories): Promise<SettingsOverview> {
  const faults: string[] = [];
  const loaded = await load(config, directories, (_level, message) => faults.push(message));
  const ignored: string[] = [];
  noteIgnored(loaded.trust, (_level, message) => ignored.push(message)); // the report lists these itself
  const report = settingsReport(loaded);
  const files = Object.entries(FILE_SCOPES).flatMap(([scope, fileScope]) => {
    const path = settingsPath(fileScope, directories);
    return path === null ? [] : [{ scope, path, exists: existsSync(path) }];
  });
  return { ...report, directory: directories.cwd, files, faults: faults.filter((each) => !ignored.includes(each)) };
}

/** The value in force, unchanged; undefined when there is none. */
export async function getSetting(key: string, config: RunConfig, directories: SettingsDirectories): Promise<unknown> {
  return valueAt(parseKey(key), mergeLayers((await load(config, directories)).layers));
}

export interface SettingChange {
  scope: FileScope;
  key: string;
  /** Undefined removes the setting. */
  value: unknown;
  /** Also writes settings that have no effect in this version. */
  force?: boolean;
}

export interface ChangedSetting {
  file: string;
  /** False when there was nothing to remove. */
  isChanged: boolean;
  /** Notes about effects that may surprise the user. */
  notes: string[];
}

/**
 * Changes one setting in its file. A value that the readers would refuse later is refused now, before the file is
 * touched. A project that the user trusts stays trusted: the user makes the change.
 */
export async function changeSetting(change: SettingChange, directories: SettingsDirectories): Promise<ChangedSetting> {
  const { scope } = change;
  const path = parseKey(change.key);
  const file = settingsFileOf(scope, directories);
  if (change.value !== undefined && !change.force) refuseWithoutEffect(path);
  if (change.value === undefined && !existsSync(file)) return { file, isChanged: false, notes: [] };
  let isChanged = true;
  await changeSettingsFile(scope, directories, (values) => {
    const next = change.value === undefined ? withoutSetting(values, path) : withSetting(values, path, change.value);
    isChanged = next !== null;
    return next;
  });
  return { file, isChanged, notes: isChanged ? await notesOn(path, change, directories) : [] };
}

/** The value of a setting with secrets masked. */
export function maskedSetting(key: string, value: unknown): unknown {
  return maskValue(value, parseKey(key));
}

/** The settings that act in this version, for the shell to complete. */
export function settingsThatAct(): string[] {
  return actedOnKeys();
}

/** The setting that the user probably meant by an unknown key, as a question; empty otherwise. */
export function meantSetting(key: string): string {
  const path = parseKey(key);
  const near = isActedOn(path) ? null : nearestWord(formatKey(path), actedOnKeys());
  return near === null ? '' : `. Did you mean ${near}?`;
}

/** A misspelt key would be written and have no effect. */
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

async function notesOn(path: readonly string[], { scope, value }: SettingChange, directories: SettingsDirectories) {
  if (value === undefined) return [];
  const notes: string[] = [];
  if (!isActedOn(path)) notes.push(`${formatKey(path)} has no effect in this version`);
  try {
    const { layers, trust } = await load({}, directories);
    const origin = originOf(path, layers);
    if (origin === undefined)
      notes.push(`it does not act: the directory is ${trust.state}. \`heddle trust\` shows why`);
    else if (origin.scope !== scope && !Array.isArray(value)) {
      notes.push(`another one wins: ${SCOPE_NAMES[origin.scope]} (${nameOf(origin)})`);
    }
  } catch (error) {
    notes.push(messageOf(error)); // the setting is written, but another file cannot be read
  }
  return notes;
}

async function load(
  config: RunConfig,
  directories: SettingsDirectories,
  log: Logger = silentLogger,
): Promise<LoadedSettings> {
  const runtime = { clock: systemClock(), ids: randomIds(), log };
  return (await openConfiguration(config, directories, runtime)).loaded;
}
