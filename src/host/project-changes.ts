import { existsSync } from 'node:fs';
import type { SettingsPlaces } from '../config/scopes.ts';
import { executableFiles, setTrust, trustOf } from '../config/trust-store.ts';

/**
 * Changes files of the project in the user's name. A project that was trusted stays so, and one that had no settings at
 * all is trusted with what the user puts there. Returns whether it is trusted now.
 */
export function changeProject(places: SettingsPlaces, change: () => void): boolean {
  const keepTrust = holdTrust(places);
  change();
  return keepTrust();
}

/** The same for a change that is made between the two calls. */
export function holdTrust({ cwd, configHome }: SettingsPlaces): () => boolean {
  const isEmpty = !executableFiles(cwd).some((file) => existsSync(file));
  const isTrusted = configHome !== null && (isEmpty || trustOf(cwd, configHome) === 'trusted');
  return () => {
    if (!isTrusted || !executableFiles(cwd).some((file) => existsSync(file))) return false;
    setTrust(cwd, configHome, { isTrusted, now: Date.now() });
    return true;
  };
}
