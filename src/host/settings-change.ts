import { type Change, changeJsonFile } from '../config/json-file.ts';
import { type FileScope, type SettingsPlaces, settingsPath } from '../config/scopes.ts';
import { readSettings } from '../config/settings.ts';
import { refuseSettings } from '../config/settings-file.ts';
import { checkPermissionSettings } from './permissions.ts';
import { changeProjectFile } from './project-changes.ts';

/**
 * Changes a settings file in the user's name. What the readers would refuse later is refused now, before the file is
 * touched. A project that the user trusts stays trusted. Rejects with `invalid_settings`, and with what `change` throws.
 */
export async function changeSettingsFile(scope: FileScope, places: SettingsPlaces, change: Change): Promise<void> {
  const path = placeOf(scope, places);
  const checked: Change = (values) => {
    const next = change(values);
    if (next !== null) checkPermissionSettings(readSettings([{ scope, path, values: next }]));
    return next;
  };
  if (scope === 'userSettings') return changeJsonFile(path, checked);
  const keepTrust = await changeProjectFile(path, places, checked);
  await keepTrust();
}

/** Throws `invalid_settings` when there is none. */
export function placeOf(scope: FileScope, places: SettingsPlaces): string {
  const path = settingsPath(scope, places);
  if (path !== null) return path;
  throw refuseSettings('There is no place for the settings of the user: set HEDDLE_HOME or HOME');
}
