import { isGone, type ProcessIdentity } from './process-identity.ts';
import { endTree, treeLives } from './process-tree.ts';

/** A variable that identifies the processes of a detached command in any group. */
export function taskMark(sessionId: string, id: string): [name: string, value: string] {
  return ['HEDDLE_TASK', `${sessionId}.${id}`];
}

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;

/**
 * Ends a detached command with all its children. A process whose id was reused is left alone. Resolves with whether all
 * of them are gone.
 */
export async function endDetached(
  leader: ProcessIdentity | null,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<boolean> {
  const isThere = leader !== null && isGone(leader) === false;
  const mark = { environment: taskMark(sessionId, id).join('='), limits: NO_LIMIT };
  const tree = { groups: isThere ? [leader.pid] : [], mark };
  await endTree(tree, { graceMs: GRACE_MS });
  return !(await treeLives({ groups: [], mark })) && (leader === null || isGone(leader) !== false);
}

/** A text that no process's limits contain. */
const NO_LIMIT = '\0';
