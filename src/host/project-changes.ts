import { existsSync } from 'node:fs';
import { type Change, changeJsonFile } from '../config/json-file.ts';
import type { SettingsPlaces } from '../config/scopes.ts';
import { executableFiles, setTrust, trustOf } from '../config/trust-store.ts';

/** Notes the trust that a project keeps; resolves with whether it is trusted now. Rejects when it cannot be noted. */
export type KeepTrust = () => Promise<boolean>;

/**
 * Changes a file of the project in the user's name, as `changeJsonFile` does. A project that was trusted stays so, and one
 * that had no settings at all is trusted with what the user puts there, once the caller has called what this resolves
 * with: the file is changed also where trust cannot be noted.
 */
export async function changeProjectFile(path: string, places: SettingsPlaces, change: Change): Promise<KeepTrust> {
  let keepTrust: KeepTrust = async () => trustOf(places.cwd, places.configHome) === 'trusted';
  await changeJsonFile(path, (values) => {
    const next = change(values);
    // At the last moment: what others make of the project meanwhile must not become trusted.
    if (next !== null) keepTrust = holdTrust(places);
    return next;
  });
  return keepTrust;
}

function holdTrust({ cwd, configHome }: SettingsPlaces): KeepTrust {
  const isEmpty = !executableFiles(cwd).some((file) => existsSync(file));
  const isTrusted = configHome !== null && (isEmpty || trustOf(cwd, configHome) === 'trusted');
  return async () => {
    if (!isTrusted || !executableFiles(cwd).some((file) => existsSync(file))) return false;
    await setTrust(cwd, configHome, { isTrusted, now: Date.now() });
    return true;
  };
}
