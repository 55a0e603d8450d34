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
import { errorCode } from '../../util/error-code.ts';
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

  const count = (path: string, change: 1 | -1) => uses.set(path, (uses.get(path) ?? 0) + change);

  const unused = (standIns: readonly StandIn[]) => standIns.filter(({ path }) => uses.get(path) === 0);

  /** The remains of the sandbox that has just ended may be there for a moment. What stays is another session's. */
  async function removeSoon(standIns: readonly StandIn[]): Promise<void> {
    let left = standIns;
    for (const pause of PAUSES) {
      await sleep(pause);
      left = remove(unused(left));
      if (left.length === 0) return;
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
      for (const { path } of held) count(path, -1);
      const left = remove(unused(held));
      if (left.length === 0) return;
      const removal = removeSoon(left).finally(() => removals.delete(removal));
      removals.add(removal);
    },
    settled: async () => void (await Promise.all(removals)),
  };
}

/** Whether what is at the path is a stand-in: ours, another session's, or one that was left behind. */
export function isStandIn({ path, as }: StandIn): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.mtimeMs !== STAND_IN_TIME.getTime()) return false;
  if (as.kind === 'directory') return stats.isDirectory() && readdirSync(path).length === 0;
  return stats.isFile() && stats.size === Buffer.byteLength(as.content) && readFileSync(path, 'utf8') === as.content;
}

function make({ path, as }: StandIn): void {
  try {
    if (as.kind === 'directory') mkdirSync(path);
    else writeFileSync(path, as.content, { flag: 'wx' });
    utimesSync(path, STAND_IN_TIME, STAND_IN_TIME);
  } catch (error) {
    // Another session was quicker, or something real is there by now: that is mounted on as well.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Returns those on which a sandbox has something mounted: to remove them would open that sandbox. */
function remove(standIns: readonly StandIn[]): readonly StandIn[] {
  if (standIns.length === 0) return [];
  const mounts = mountsOfSandboxes();
  const isMounted = ({ path }: StandIn) => mounts.includes(` ${asWritten(path)} `);
  for (const standIn of standIns) if (!isMounted(standIn)) removeOne(standIn);
  return standIns.filter(isMounted);
}

function removeOne(standIn: StandIn): void {
  try {
    if (!isStandIn(standIn)) return;
    if (standIn.as.kind === 'directory') rmdirSync(standIn.path);
    else unlinkSync(standIn.path);
  } catch {
    // gone already, or the directory is not ours to change any more
  }
}

/** Of all sandboxes on the machine: the first process of each is a bwrap. */
function mountsOfSandboxes(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readProc(name, 'comm') === 'bwrap\n');
  return pids.map((pid) => readProc(pid, 'mountinfo')).join('');
}

/** The kernel writes blanks and backslashes in octal. */
function asWritten(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or not ours to see
  }
}
