import {
  type Dirent,
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
import type { StandInKind } from './protected-paths.ts';

/** What is put in the place of a protected path that does not exist: something must be there to be mounted on. */
export interface StandIn {
  readonly path: string;
  readonly as: StandInKind;
}

export interface StandIns {
  /** Puts them there for one command. Throws what the file system throws. */
  hold(wanted: readonly StandIn[]): void;
  /** The command has ended: what no other one needs is taken away. */
  release(held: readonly StandIn[]): Promise<void>;
}

/**
 * By this time of change a stand-in is known to every process and every later run: one that was left behind by a run that
 * was killed is taken over, and goes with the next command.
 */
const STAND_IN_TIME = new Date(1000);

export function createStandIns(): StandIns {
  const uses = new Map<string, number>();
  return {
    hold(wanted) {
      for (const standIn of wanted) {
        make(standIn);
        uses.set(standIn.path, (uses.get(standIn.path) ?? 0) + 1);
      }
    },
    async release(held) {
      for (const standIn of held) {
        const left = (uses.get(standIn.path) ?? 0) - 1;
        uses.set(standIn.path, left);
        if (left > 0 || (await isMountedOn(standIn.path))) continue;
        if ((uses.get(standIn.path) ?? 0) === 0) remove(standIn);
      }
    },
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
    else writeFileSync(path, as.content, { flag: 'wx', mode: 0o444 });
    utimesSync(path, STAND_IN_TIME, STAND_IN_TIME);
  } catch (error) {
    // Another session was quicker, or something real is there by now: that is mounted on as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function remove(standIn: StandIn): void {
  try {
    if (!isStandIn(standIn)) return;
    if (standIn.as.kind === 'directory') rmdirSync(standIn.path);
    else unlinkSync(standIn.path);
  } catch {
    // gone already, or the directory is not ours to change any more
  }
}

const LOOKS = 5;
const PAUSE_MS = 20;

/**
 * Whether the sandbox of somebody else has something mounted there: to remove it would open that sandbox. The remains of
 * the one that has just ended may be there for a moment, too.
 */
async function isMountedOn(path: string): Promise<boolean> {
  for (let look = 1; look <= LOOKS; look++) {
    if (!sandboxes().some((pid) => hasMount(pid, path))) return false;
    if (look < LOOKS) await sleep(PAUSE_MS);
  }
  return true;
}

/** The first process of every sandbox is a bwrap. */
function sandboxes(): string[] {
  const entries: Dirent[] = readdirSync('/proc', { withFileTypes: true });
  return entries.flatMap(({ name }) => (/^\d+$/.test(name) && readProc(name, 'comm') === 'bwrap\n' ? [name] : []));
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
