import { type Change, changeJsonFile } from '../config/json-file.ts';
import { type FileScope, type SettingsPlaces, settingsPath } from '../config/scopes.ts';
import { faultText, type SettingFault } from '../config/setting-faults.ts';
import { refuseSettings } from '../config/settings-file.ts';
import type { JsonObject } from '../util/json.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { changeProjectFile } from './project-changes.ts';
import { faultsIn } from './sound-settings.ts';

/**
 * Changes a settings file in the user's name. What the readers would refuse later is refused now, before the file is
 * touched. A project that the user trusts stays trusted. Rejects with `invalid_settings`, and with what `change` throws.
 */
export async function changeSettingsFile(scope: FileScope, places: SettingsPlaces, change: Change): Promise<void> {
  const path = placeOf(scope, places);
  const checked: Change = (values) => {
    const next = change(values);
    if (next !== null) checkChange(values, next, path);
    return next;
  };
  if (scope === 'userSettings') return changeJsonFile(path, checked);
  const keepTrust = await changeProjectFile(path, places, checked);
  await keepTrust();
}

/** Throws for what the change has made wrong. What was wrong before is no reason against mending something else. */
function checkChange(values: JsonObject, next: JsonObject, path: string): void {
  const before = new Set(faultsIn(values, LENIENT).map(withoutPlaces));
  const fault = faultsIn(next, LENIENT).find((each) => !before.has(withoutPlaces(each)));
  if (fault) throw refuseSettings(`Settings: ${faultText(fault)} (${path})`);
}

/** The same fault stands elsewhere in its list when the list has changed. */
function withoutPlaces({ path, ...rest }: SettingFault): string {
  return faultText({ ...rest, path: path.filter((step) => typeof step === 'string') });
}

/** Throws `invalid_settings` for changes of a host that cannot be used: it hears at once what is wrong. */
export function checkChanges(changes: JsonObject, config: RunConfig): void {
  const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
  const [fault] = faultsIn(values, config);
  if (fault) throw refuseSettings(`Settings: ${faultText(fault)}`);
}

/** A file may name a mode that only some launches permit. */
const LENIENT: RunConfig = { allowDangerouslySkipPermissions: true };

/** Throws `invalid_settings` when there is none. */
export function placeOf(scope: FileScope, places: SettingsPlaces): string {
  const path = settingsPath(scope, places);
  if (path !== null) return path;
  throw refuseSettings('There is no place for the settings of the user: set HEDDLE_HOME or HOME');
}
