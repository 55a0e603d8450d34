import { configurationHash } from './trust-store.ts';

/**
 * What a launch answers for with `--trust`, or by naming the project's files: these files as they were at its start, and
 * as the user has changed them through this session. What anybody else makes of them meanwhile, a command that the agent
 * runs included, was vouched for by nobody (ruling G1: trust is bound to what the files say).
 */
export interface Vouched {
  /** Whether the project's files are still those. */
  covers(): boolean;
  /** They were changed in the user's name: from now on it is these. */
  renew(): void;
}

/** `cwd` is a real path. */
export function vouchFor(cwd: string): Vouched {
  let hash = configurationHash(cwd);
  return {
    covers: () => configurationHash(cwd) === hash,
    renew() {
      hash = configurationHash(cwd);
    },
  };
}
