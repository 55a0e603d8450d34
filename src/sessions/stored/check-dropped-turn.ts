import { isObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { isPrompt, textOf } from '../entry-fields.ts';
import { activeLeaf, type Tree } from '../tree/build-tree.ts';
import { nodeNamed } from '../tree/find-node.ts';
import { wholeHistory } from './stored-session.ts';

export interface DroppedTurn {
  /** The message from which a resume continues. */
  at: string;
  /** The uuid of the prompt whose turn, and nothing else, the resume may drop. */
  turn: string;
}

/**
 * Guards a resume from an earlier message: everything it drops from the active branch must belong to one turn. Throws
 * `resume_rejected` when it would drop anything else, such as a message that arrived meanwhile and that the caller does
 * not know of. Hosts match the beginning of the error text.
 */
export function checkDroppedTurn(tree: Tree, { at, turn }: DroppedTurn): void {
  const other = firstOther(droppedBy(tree, at), turn);
  if (other === null) return;
  const { what, entry } = other;
  const uuid = stringField(entry, 'uuid');
  const named = uuid === undefined ? what : `${what} (${uuid})`;
  const advice = 'Resume without --resume-session-at to see it, or go on from a later message';
  throw new HeddleError(
    'resume_rejected',
    `Resume rejected by --resume-drops-turn: it would also drop ${named}, which is not of the turn ${turn}. ${advice}`,
    { facts: { at, turn, uuid } },
  );
}

/** The entries that a plain resume would keep and this one would drop. */
function droppedBy(tree: Tree, at: string): Entry[] {
  const { leaf } = activeLeaf(tree);
  const kept = new Set(wholeHistory(tree, nodeNamed(tree, at).id));
  return leaf === null ? [] : wholeHistory(tree, leaf.id).filter((entry) => !kept.has(entry));
}

interface Other {
  what: string;
  entry: Entry;
}

function firstOther(dropped: readonly Entry[], turn: string): Other | null {
  const start = dropped.findIndex(
    ({ uuid, forkedFrom }) => uuid === turn || stringField(forkedFrom, 'messageUuid') === turn,
  );
  const [before, within] = start < 0 ? [dropped, []] : [dropped.slice(0, start), dropped.slice(start + 1)];
  // Results and outputs of the previous turn are part of the path to its answer, wherever they are linked.
  const earlier = before.find((entry) => entry.type === 'assistant' || isSaid(entry));
  if (earlier) return { what: earlier.type === 'assistant' ? 'an answer' : 'a message', entry: earlier };
  const joined = within.find(isSaid);
  return joined ? { what: 'a message that came meanwhile', entry: joined } : null;
}

/** True for messages of a person, a host or a task: not for interrupt markers or texts that the runtime added. */
function isSaid(entry: Entry): boolean {
  if (entry.type === 'attachment') return isObject(entry.attachment) && entry.attachment.type === 'queued_command';
  return isPrompt(entry) && !textOf(entry).startsWith(INTERRUPTED);
}

const INTERRUPTED = '[Request interrupted by user';
