import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StandInKind } from './protected-path.ts';

/** What is put in the place of a protected path that does not exist: something must be there to be mounted on. */
export interface StandIn {
  readonly path: string;
  readonly as: StandInKind;
}

export interface StandIns {
  /** Puts them there for one command. Throws what the file system throws. */
  hold(wanted: readonly StandIn[]): void;
  /** The command has ended: what no other one needs is taken away, now or a moment later. */
  release(held: readonly StandIn[]): void;
  /** Resolves when everything is taken away that nobody needs. */
  settled(): Promise<void>;
}

/**
 * By this time of change a stand-in is known to every process and every later run: one that was left behind by a run that
 * was killed is taken over, and goes with the next command.
 */
const STAND_IN_TIME = new Date(1000);

/** Milliseconds between looks at whether a sandbox is gone. */
const PAUSES = [20, 50, 100, 200, 400];

export function createStandIns(): StandIns {
  const uses = new Map<string, number>();
  const removals = new Set<Promise<void>>();

  function count(path: string, change: 1 | -1): number {
    const now = (uses.get(path) ?? 0) + change;
    uses.set(path, now);
    return now;
  }

  /** The remains of the sandbox that has just ended may be there for a moment. What stays is another session's. */
  async function removeUnused(standIn: StandIn): Promise<void> {
    for (const pause of PAUSES) {
      await sleep(pause);
      if (uses.get(standIn.path) !== 0 || remove(standIn)) return;
    }
  }

  return {
    hold(wanted) {
      for (const standIn of wanted) {
        make(standIn);
        count(standIn.path, 1);
      }
    },
    release(held) {
      for (const standIn of held) {
        if (count(standIn.path, -1) > 0 || remove(standIn)) continue;
        const removal = removeUnused(standIn).finally(() => removals.delete(removal));
        removals.add(removal);
      }
    },
    settled: async () => void (await Promise.all(removals)),
  };
}

/** Whether what is at the path is a stand-in: ours, another session's, or one that was left behind. */
export function isStandIn({ path, as }: StandIn): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.mtimeMs !== STAND_IN_TIME.getTime()) return false;
  if (as.kind === 'directory') return stats.isDirectory() && readdirSync(path).length === 0;
  return stats.isFile() && readFileSync(path, 'utf8') === as.content;
}

function make({ path, as }: StandIn): void {
  try {
    if (as.kind === 'directory') mkdirSync(path);
    else writeFileSync(path, as.content, { flag: 'wx' });
    utimesSync(path, STAND_IN_TIME, STAND_IN_TIME);
  } catch (error) {
    // Another session was quicker, or something real is there by now: that is mounted on as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** False when a sandbox has something mounted there: to remove it would open that sandbox. */
function remove(standIn: StandIn): boolean {
  if (sandboxes().some((pid) => hasMount(pid, standIn.path))) return false;
  try {
    if (!isStandIn(standIn)) return true;
    if (standIn.as.kind === 'directory') rmdirSync(standIn.path);
    else unlinkSync(standIn.path);
  } catch {
    // gone already, or the directory is not ours to change any more
  }
  return true;
}

/** The first process of every sandbox is a bwrap. */
function sandboxes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readProc(name, 'comm') === 'bwrap\n');
}

function hasMount(pid: string, path: string): boolean {
  // The kernel writes blanks and backslashes in octal.
  const written = path.replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return readProc(pid, 'mountinfo').includes(` ${written} `);
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or not ours to see
  }
}
