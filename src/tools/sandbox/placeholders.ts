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
import type { PlaceholderKind } from './protected-path.ts';

/** A file or directory that stands in for a protected path that does not exist, so that it can be mounted on. */
export interface Placeholder {
  readonly path: string;
  readonly as: PlaceholderKind;
}

export interface Placeholders {
  /** Creates them for one command. Throws the error of the file system. */
  hold(wanted: readonly Placeholder[]): void;
  /** Call it when the command has ended: removes those that no other command needs, now or a moment later. */
  release(held: readonly Placeholder[]): void;
  /** Resolves when all placeholders that no command needs are removed. */
  settled(): Promise<void>;
}

/**
 * Every process and every later run recognises a stand-in by this modification time: one that a killed run left is
 * taken over and removed after the next command.
 */
const PLACEHOLDER_TIME = new Date(1000);

/** Milliseconds between looks at whether a sandbox is gone. */
const PAUSES = [20, 50, 100, 200, 400];

export function createPlaceholders(): Placeholders {
  const uses = new Map<string, number>();
  const removals = new Set<Promise<void>>();

  const count = (path: string, change: 1 | -1) => uses.set(path, (uses.get(path) ?? 0) + change);

  const unused = (placeholders: readonly Placeholder[]) => placeholders.filter(({ path }) => uses.get(path) === 0);

  /**
   * Retries, because remains of a sandbox that has just ended may exist for a moment. A placeholder that stays belongs
   * to another session.
   */
  async function removeSoon(placeholders: readonly Placeholder[]): Promise<void> {
    let left = placeholders;
    for (const pause of PAUSES) {
      await sleep(pause);
      left = remove(unused(left));
      if (left.length === 0) return;
    }
  }

  return {
    hold(wanted) {
      for (const placeholder of wanted) {
        make(placeholder);
        count(placeholder.path, 1);
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

/** True when the file at the path is a stand-in: ours, another session's, or one that a killed run left. */
export function isPlaceholder({ path, as }: Placeholder): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.mtimeMs !== PLACEHOLDER_TIME.getTime()) return false;
  if (as.kind === 'directory') return stats.isDirectory() && readdirSync(path).length === 0;
  return stats.isFile() && stats.size === Buffer.byteLength(as.content) && readFileSync(path, 'utf8') === as.content;
}

function make({ path, as }: Placeholder): void {
  try {
    if (as.kind === 'directory') mkdirSync(path);
    else writeFileSync(path, as.content, { flag: 'wx' });
    utimesSync(path, PLACEHOLDER_TIME, PLACEHOLDER_TIME);
  } catch (error) {
    // Another session was quicker, or something real is there by now: that is mounted on as well.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Returns the placeholders on which a sandbox has something mounted: removing them would open that sandbox. */
function remove(placeholders: readonly Placeholder[]): readonly Placeholder[] {
  if (placeholders.length === 0) return [];
  const mounts = mountsOfSandboxes();
  const isMounted = ({ path }: Placeholder) => mounts.includes(` ${asWritten(path)} `);
  for (const placeholder of placeholders) if (!isMounted(placeholder)) removeOne(placeholder);
  return placeholders.filter(isMounted);
}

function removeOne(placeholder: Placeholder): void {
  try {
    if (!isPlaceholder(placeholder)) return;
    if (placeholder.as.kind === 'directory') rmdirSync(placeholder.path);
    else unlinkSync(placeholder.path);
  } catch {
    // gone already, or the directory is not ours to change any more
  }
}

/** The mounts of all sandboxes on the machine: the first process of each is a bwrap. */
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
