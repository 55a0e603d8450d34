import type { SettingsDirectories } from '../../config/settings/scopes.ts';
import { type Trust, trustOf } from '../../config/trust-store.ts';
import type { TrustedByLaunch } from '../../config/trusted-by-launch.ts';
import type { Logger } from '../../util/runtime.ts';
import { printable } from '../../util/text/printable.ts';

/** What `init.trust` says. */
export interface TrustReport {
  /** `none`: the project has no settings that would need it. */
  state: Trust | 'none';
  /** What of the project's settings was left out. */
  ignored: { file: string; keys: string[] }[];
}

/** A launch that answered for the files as they were did not answer for what they have become. */
export function projectTrust(trustedByLaunch: TrustedByLaunch | null, { cwd, configHome }: SettingsDirectories): Trust {
  if (trustedByLaunch?.covers()) return 'trusted';
  const trust = trustOf(cwd, configHome);
  return trustedByLaunch && trust === 'untrusted' ? 'changed' : trust;
}

/** Says what of the project's settings does not apply, and what to do about it. */
export function noteIgnored({ state, ignored }: TrustReport, log: Logger): void {
  if (ignored.length === 0) return;
  const list = printable(ignored.map(({ file, keys }) => `${file} (${keys.join(', ')})`).join('; '));
  if (state === 'trusted') {
    log('warn', `A project does not decide where credentials are sent; ignored: ${list}`);
    return;
  }
  const why = state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
  log(
    'warn',
    `This directory ${why}, so these settings were ignored: ${list}. \`heddle trust\` or --trust lets them act.`,
  );
}
