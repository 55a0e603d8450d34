import { randomInt } from 'node:crypto';

/** Texts by which a process is known as ours, whatever it has done to its group, its session and its parents. */
export interface ProcessMark {
  /** In /proc/PID/environ. */
  environment: string;
  /** In /proc/PID/limits; only of what a shell with `MARK_BY_LIMIT` has started. */
  limits: string;
}

export interface ProcessTags {
  /** Matches everything that was started with one of these tags. */
  readonly mark: ProcessMark;
  /** The environment for one more process, and what it and its descendants match. */
  next(env: Env): { env: Env; mark: ProcessMark };
}

type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = 'HEDDLE_PROCESS_TAG';
/** As the kernel pads it. */
const LIMIT = 'Max file locks'.padEnd(26);

/** Shell code that sets the limit on file locks; the letter depends on the shell. */
export function limitFileLocks(value: string): string {
  return `{ ulimit -S -x ${value} || ulimit -S -w ${value}; } 2>/dev/null`;
}

/**
 * The first line of a shell script whose descendants shall be found even when they have cleared their environment: it
 * makes the tag a resource limit. Every process inherits it through fork, exec and setsid, and the limit chosen, on
 * file locks, is one that Linux has not enforced since 2.6. Where there is no such limit nothing happens.
 */
export const MARK_BY_LIMIT = limitFileLocks(`"\${${VARIABLE}##*t}"`);

/**
 * A tag is 18 digits, which a limit can hold: 12 for the run, 6 for the process. In the environment it stands behind
 * those of the runs around this one, so that they find what we start, too.
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
