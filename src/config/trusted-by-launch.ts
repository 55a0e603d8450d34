import { configurationHash } from './trust-store.ts';

/**
 * The files that a launch trusts with `--trust`, or by naming the project's files: as they were at the start, and as
 * the user changed them through this session. Other changes, such as those of a command that the agent runs, are not
 * trusted.
 */
export interface TrustedByLaunch {
  /** Whether the project's files are still the trusted ones. */
  covers(): boolean;
  /** The user changed the files through this session: trusts their current state. */
  renew(): void;
}

/** `cwd` is a real path. */
export function trustByLaunch(cwd: string): TrustedByLaunch {
  let hash = configurationHash(cwd);
  return {
    covers: () => configurationHash(cwd) === hash,
    renew() {
      hash = configurationHash(cwd);
    },
  };
}
