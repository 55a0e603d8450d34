import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../error-code.ts';
import { createProcessFinder, type ProcessFinder, type ProcessTree } from './process-finder.ts';

/** Milliseconds between checks whether SIGKILL has worked; a process that survives all of them cannot be killed. */
const KILL_PAUSES = [5, 10, 20, 50, 100, 200, 500];
/** How a tree is ended. */
export interface TreeEnding {
  /** Milliseconds between SIGTERM and SIGKILL; 0: SIGKILL at once. */
  graceMs: number;
  finder?: ProcessFinder;
  /** Resolves when the process that began the tree has ended: the others may have, too. */
  ended?: Promise<unknown>;
}

/** Ends a tree. Resolves when all its processes are gone. */
export async function endTree(
  tree: ProcessTree,
  { graceMs, finder = createProcessFinder(), ended }: TreeEnding,
): Promise<void> {
  if (graceMs > 0) {
    if (!(await signalTree(tree, 'SIGTERM', finder))) return;
    const [first = 0, ...later] = gracePauses(graceMs);
    await (ended ? Promise.race([ended, sleep(first)]) : sleep(first));
    if (!(await signalTree(tree, 0, finder))) return;
    for (const pause of later) {
      await sleep(pause);
      if (!(await signalTree(tree, 0, finder))) return;
    }
  }
  for (const pause of KILL_PAUSES) {
    if (!(await signalTree(tree, 'SIGKILL', finder))) return;
    await sleep(pause);
  }
}

/** Whether a process of the tree lives. */
export function treeLives(tree: ProcessTree, finder = createProcessFinder()): Promise<boolean> {
  return signalTree(tree, 0, finder);
}

/** True while the group has a member, even a zombie. */
export function groupExists(group: number): boolean {
  return send(-group, 0);
}

/** Signals each process of the tree exactly once; false when there was none. */
async function signalTree(tree: ProcessTree, signal: NodeJS.Signals | 0, finder: ProcessFinder): Promise<boolean> {
  const groups = tree.groups.filter((group) => send(-group, signal));
  const found = await finder.find({ groups, mark: tree.mark });
  if (found === null) return groups.length > 0;
  // A process that leads its own group gets the signal with that group, which includes members that cleared their
  // environment.
  const led = found.filter(({ pid, group }) => pid === group && !groups.includes(group)).map(({ group }) => group);
  for (const group of led) send(-group, signal);
  for (const { pid, group } of found) {
    if (!groups.includes(group) && !led.includes(group)) send(pid, signal);
  }
  return found.length > 0;
}

/** False when there is no process to signal. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** A few checks within the grace time, the first ones early: most processes end at once. */
function gracePauses(graceMs: number): number[] {
  return [0.02, 0.08, 0.2, 0.7].map((share) => Math.ceil(share * graceMs));
}
