import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== null && state !== 'Z' && state !== 'X';
}

export function stateOf(pid: number): string | null {
  return statOf(pid)?.state ?? null;
}

/** Every process with an ancestor in `pid`, zombies included. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter(Boolean)
      .map((each) => [each, statOf(each)?.parent]),
  );
  const found = [pid];
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  }
  return found.slice(1);
}

export async function eventually(check: () => boolean, ms = 15_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!check()) {
    if (Date.now() > deadline) throw new Error(`It did not happen within ${ms} ms: ${check}`);
    await sleep(10);
  }
}

/** How much memory a process holds. */
export function residentMegabytes(pid: number): number {
  return megabytesOf(pid, /VmRSS:\s+(\d+)/);
}

/** The most memory that a process has held. */
export function peakMegabytes(pid: number): number {
  return megabytesOf(pid, /VmHWM:\s+(\d+)/);
}

function megabytesOf(pid: number, figure: RegExp): number {
  return Number(figure.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** How long all threads of a process have worked, in hundredths of a second. */
export function cpuTicks(pid: number): number {
  return statOf(pid)?.ticks ?? 0;
}

/** `pid (name) state ppid …`; the name may itself hold spaces and parentheses. */
function statOf(pid: number): { state: string; parent: number; ticks: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent] = fields;
    const [user, system] = fields.slice(11, 13).map(Number);
    return { state, parent: Number(parent), ticks: (user ?? 0) + (system ?? 0) };
  } catch {
    return null;
  }
}
