import { existsSync } from 'node:fs';
import { type Change, changeJsonFile } from '../../config/json-file.ts';
import type { SettingsDirectories } from '../../config/settings/scopes.ts';
import { executableFiles, setTrust, trustOf } from '../../config/trust-store.ts';

/**
 * Records the trust in a project; resolves with whether the project is trusted now. Rejects when it cannot be recorded.
 */
export type RenewTrust = () => Promise<boolean>;

/**
 * Changes a file of the project for the user, as `changeJsonFile` does. Resolves with a function that keeps a trusted
 * project trusted, and trusts one that had no settings before; the caller calls it. The two are separate because the
 * file is changed even when trust cannot be recorded.
 */
export async function changeProjectFile(
  path: string,
  directories: SettingsDirectories,
  change: Change,
): Promise<RenewTrust> {
  let keepTrust: RenewTrust = async () => trustOf(directories.cwd, directories.configHome) === 'trusted';
  await changeJsonFile(path, (values) => {
    const next = change(values);
    // At the last moment: changes that others make to the project meanwhile must not become trusted.
    if (next !== null) keepTrust = renewTrustOf(directories);
    return next;
  });
  return keepTrust;
}

function renewTrustOf({ cwd, configHome }: SettingsDirectories): RenewTrust {
  const isEmpty = !executableFiles(cwd).some((file) => existsSync(file));
  const isTrusted = configHome !== null && (isEmpty || trustOf(cwd, configHome) === 'trusted');
  return async () => {
    if (!isTrusted || !executableFiles(cwd).some((file) => existsSync(file))) return false;
    await setTrust(cwd, configHome, { isTrusted, now: Date.now() });
    return true;
  };
}
