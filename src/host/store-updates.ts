import type { FileScope, SettingsPlaces } from '../config/scopes.ts';
import { isFileScope, storeUpdate } from '../config/store-update.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { changeProject } from './project-changes.ts';

export interface InForce {
  /** The files that the session reads. */
  scopes: readonly FileScope[];
  /** Whether the launch itself answers for the project's files. */
  isVouchedFor: boolean;
}

/**
 * Keeps updates in the files that they name, and gives them back as they apply. What is written to a file that the
 * session does not read, or does not believe, holds for the session: it was granted, and would get lost with the next
 * look at the files.
 */
export function storeUpdates(
  updates: readonly PermissionUpdate[],
  places: SettingsPlaces,
  { scopes, isVouchedFor }: InForce,
): PermissionUpdate[] {
  const store = (these: readonly PermissionUpdate[]) => {
    for (const update of these) storeUpdate(update, places);
  };
  const ofProject = updates.filter(({ destination }) => isFileScope(destination) && destination !== 'userSettings');
  store(updates.filter((update) => !ofProject.includes(update)));
  const isTrusted = ofProject.length > 0 && changeProject(places, () => store(ofProject));
  return updates.map((update) => {
    const { destination } = update;
    if (!isFileScope(destination)) return update;
    const isBelieved = destination === 'userSettings' || isVouchedFor || isTrusted;
    return isBelieved && scopes.includes(destination) ? update : { ...update, destination: 'session' };
  });
}
