import { randomInt } from 'node:crypto';

/** Texts that identify a process as ours, even after it changed its group, session or parent. */
export interface ProcessMark {
  /** In /proc/PID/environ. */
  environment: string;
  /** In /proc/PID/limits; only for processes that a shell with `MARK_BY_LIMIT` started. */
  limits: string;
}

export interface ProcessTags {
  /** Matches every process that was started with one of these tags. */
  readonly mark: ProcessMark;
  /** The environment for one more process, and the mark that it and its descendants match. */
  next(env: Env): { env: Env; mark: ProcessMark };
}

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = 'HEDDLE_PROCESS_TAG';
/** As the kernel pads the name. */
const LIMIT = 'Max file locks'.padEnd(26);

/** Shell code that sets the limit on file locks; the letter depends on the shell. */
export function limitFileLocks(value: string): string {
  return `{ ulimit -S -x ${value} || ulimit -S -w ${value}; } 2>/dev/null`;
}

/**
 * The first line of a shell script whose descendants must be found even when they cleared their environment: it stores
 * the tag as a resource limit, which every process inherits through fork, exec and setsid. The limit, on file locks, is
 * one that Linux has not enforced since 2.6. Where the limit does not exist nothing happens.
 */
export const MARK_BY_LIMIT = limitFileLocks(`"\${${VARIABLE}##*t}"`);

/**
 * A tag has 18 digits, which a limit can hold: 12 for the run, 6 for the process. In the environment it comes after the
 * tags of enclosing runs, so that these runs find our processes, too.
 */
export function createProcessTags(): ProcessTags {
  // Not from the runtime's ids: two runs with the same seed must never end each other's processes.
  const run = String(randomInt(10 ** 11, 10 ** 12));
  let count = 0;
  return {
    mark: { environment: `t${run}`, limits: `${LIMIT}${run}` },
    next(env) {
      const tag = `${run}${String(++count % 10 ** 6).padStart(6, '0')}`;
      return {
        env: { ...env, [VARIABLE]: `${env[VARIABLE] ?? ''}t${tag}` },
        mark: { environment: `t${tag}`, limits: `${LIMIT}${tag}` },
      };
    },
  };
}
