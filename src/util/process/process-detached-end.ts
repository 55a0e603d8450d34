import { isGone, type ProcessIdentity } from './process-identity.ts';
import { endTree, treeLives } from './process-tree.ts';

/** A variable by which the processes of a detached command are known, whatever group they are in. */
export function taskMark(sessionId: string, id: string): [name: string, value: string] {
  return ['HEDDLE_TASK', `${sessionId}.${id}`];
}

/** Milliseconds between asking and killing. */
const GRACE_MS = 2000;

/**
 * Ends a detached command with all that it has started. A process whose number is another's by now is left alone. Resolves
 * with whether nothing of it is left.
 */
export async function endDetached(
  leader: ProcessIdentity | null,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<boolean> {
  const isThere = leader !== null && isGone(leader) === false;
  const mark = { environment: taskMark(sessionId, id).join('='), limits: NO_LIMIT };
  const tree = { groups: isThere ? [leader.pid] : [], mark };
  await endTree(tree, GRACE_MS);
  return !(await treeLives({ groups: [], mark })) && (leader === null || isGone(leader) !== false);
}

/** Stands in nobody's limits. */
const NO_LIMIT = '\0';
