import { readdirSync, readFileSync } from 'node:fs';

/** A process, and when it started: the id alone may meanwhile be another's. */
export interface KnownProcess {
  pid: number;
  started: string;
}

/** All that a process has started, directly or not. Empty where there is no /proc to tell. */
export function descendantsOf(root: number): KnownProcess[] {
  const children = new Map<number, KnownProcess[]>();
  for (const pid of allPids()) {
    const facts = factsOf(pid);
    if (facts) children.set(facts.parent, [...(children.get(facts.parent) ?? []), { pid, started: facts.started }]);
  }
  const found = [...(children.get(root) ?? [])];
  for (const { pid } of found) found.push(...(children.get(pid) ?? [])); // grows while it is walked
  return found;
}

/** Kills those that live yet. */
export function killThose(processes: readonly KnownProcess[]): void {
  for (const { pid, started } of processes) {
    if (factsOf(pid)?.started !== started) continue;
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

function factsOf(pid: number): { parent: number; started: string } | null {
  try {
    // `pid (name) state ppid …`, the start time is field 22; the name may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return null;
  }
}
