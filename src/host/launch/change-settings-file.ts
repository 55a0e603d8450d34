import { type Change, changeJsonFile } from '../../config/json-file.ts';
import { type FileScope, type SettingsDirectories, settingsPath } from '../../config/settings/scopes.ts';
import { faultText, type SettingFault } from '../../config/settings/setting-faults.ts';
import { refuseSettings } from '../../config/settings/settings-file.ts';
import type { JsonObject } from '../../util/json.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { changeProjectFile } from './change-project-file.ts';
import { faultsIn } from './usable-settings.ts';

/**
 * Changes a settings file for the user. A value that the readers would refuse is refused before the file is touched; a
 * project that the user trusts stays trusted. Rejects with `invalid_settings`, and with the error of `change`.
 */
export async function changeSettingsFile(
  scope: FileScope,
  directories: SettingsDirectories,
  change: Change,
): Promise<void> {
  const path = settingsFileOf(scope, directories);
  const checked: Change = (values) => {
    const next = change(values);
    if (next !== null) checkChange(values, next, path);
    return next;
  };
  if (scope === 'userSettings') return changeJsonFile(path, checked);
  const keepTrust = await changeProjectFile(path, directories, checked);
  await keepTrust();
}

/** Throws for each fault that the change adds. An earlier fault does not keep the user from changing something else. */
function checkChange(values: JsonObject, next: JsonObject, path: string): void {
  const before = new Set(faultsIn(values, LENIENT).map(withoutDirectories));
  const fault = faultsIn(next, LENIENT).find((each) => !before.has(withoutDirectories(each)));
  if (fault) throw refuseSettings(`Settings: ${faultText(fault)} (${path})`);
}

/** A fault without its position, because a fault moves when the list around it changes. */
function withoutDirectories({ path, ...rest }: SettingFault): string {
  return faultText({ ...rest, path: path.filter((step) => typeof step === 'string') });
}

/** Throws `invalid_settings` for invalid changes of a host, so that the host gets the error at once. */
export function checkChanges(changes: JsonObject, config: RunConfig): void {
  const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
  const [fault] = faultsIn(values, config);
  if (fault) throw refuseSettings(`Settings: ${faultText(fault)}`);
}

/** A file may name a mode that only some launches permit. */
const LENIENT: RunConfig = { allowDangerouslySkipPermissions: true };

/** Throws `invalid_settings` when the scope has no file. */
export function settingsFileOf(scope: FileScope, directories: SettingsDirectories): string {
  const path = settingsPath(scope, directories);
  if (path !== null) return path;
  throw refuseSettings('There is no place for the settings of the user: set HEDDLE_HOME or HOME');
}
