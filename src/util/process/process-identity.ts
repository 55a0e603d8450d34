import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasEnded } from './process-alive.ts';

/**
 * Identifies a process so that another one can check later whether it still lives, although its id may be in use again.
 */
export interface ProcessIdentity {
  pid: number;
  host: string;
  /** The boot of the machine and its process id namespace: host names repeat, also in containers. */
  space?: string;
  /** The start time, in the system's own unit. */
  started?: string;
}

/** `space` and `started` are set only where there is a /proc. */
export function identityOf({ pid, host }: { pid: number; host: string }): ProcessIdentity {
  const space = host === hostname() ? ownSpace() : null;
  const started = space === null ? null : startOf(pid);
  return { pid, host, ...(space !== null && { space }), ...(started !== null && { started }) };
}

/** True or false only where this process can know; null for a process of another machine or container. */
export function isGone(process: ProcessIdentity): boolean | null {
  if (process.host !== hostname() || process.pid <= 0) return null;
  const space = ownSpace();
  if (process.space !== undefined && space !== null && process.space !== space) return null;
  if (hasEnded(process)) return true;
  return process.started !== undefined && space !== null && startOf(process.pid) !== process.started;
}

function ownSpace(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** Null for a process that is missing, or a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; after it come the state and, 19 fields later, the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
