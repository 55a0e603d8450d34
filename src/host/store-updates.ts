import type { SettingsPlaces } from '../config/scopes.ts';
import { storeUpdate } from '../config/store-update.ts';
import { setTrust, trustOf } from '../config/trust-store.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';

/** Keeps updates in the files that they name. A project that the user trusted stays so: it is changed in their name. */
export function storeUpdates(updates: readonly PermissionUpdate[], places: SettingsPlaces): void {
  const { cwd, configHome } = places;
  const isTrusted = trustOf(cwd, configHome) === 'trusted';
  for (const update of updates) storeUpdate(update, places);
  if (isTrusted && configHome !== null) setTrust(cwd, configHome, { isTrusted, now: Date.now() });
}
