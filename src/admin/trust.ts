import { existsSync } from 'node:fs';
import { setTrust, type TrustedDirectory, trustedDirectories } from '../config/trust-store.ts';
import type { TrustView } from '../host/launch/view-trust.ts';

/** Trusts a directory in the state that was examined. */
export async function trustDirectory({ directory, hash }: TrustView, configHome: string): Promise<void> {
  await setTrust(directory, configHome, { isTrusted: true, now: Date.now(), hash });
}

/** False when it was not trusted. The directory need not exist any more. */
export async function distrustDirectory(directory: string, configHome: string): Promise<boolean> {
  if (!listTrust(configHome).some((each) => each.directory === directory)) return false;
  await setTrust(directory, configHome, { isTrusted: false, now: Date.now() });
  return true;
}

export interface ListedDirectory extends TrustedDirectory {
  exists: boolean;
}

export function listTrust(configHome: string): ListedDirectory[] {
  return trustedDirectories(configHome).map((each) => ({ ...each, exists: existsSync(each.directory) }));
}
