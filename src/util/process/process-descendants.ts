import { readdirSync, readFileSync } from 'node:fs';

/** A process and its start time: the id alone may meanwhile belong to another process. */
export interface KnownProcess {
  pid: number;
  started: string;
}

/** All direct and indirect children of a process. Empty where there is no /proc. */
export function descendantsOf(root: number): KnownProcess[] {
  const children = new Map<number, KnownProcess[]>();
  for (const pid of allPids()) {
    const details = detailsOf(pid);
    if (details)
      children.set(details.parent, [...(children.get(details.parent) ?? []), { pid, started: details.started }]);
  }
  const found = [...(children.get(root) ?? [])];
  for (const { pid } of found) found.push(...(children.get(pid) ?? [])); // grows while it is walked
  return found;
}

/** Kills the processes that still live. */
export function killThose(processes: readonly KnownProcess[]): void {
  for (const { pid, started } of processes) {
    if (detailsOf(pid)?.started !== started) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone meanwhile, or another user's
    }
  }
}

function allPids(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

function detailsOf(pid: number): { parent: number; started: string } | null {
  try {
    // `pid (name) state ppid …`, the start time is field 22; the name may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return null;
  }
}
