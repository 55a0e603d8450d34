import { isObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import { isPrompt, textOf } from './entry-fields.ts';
import { nodeNamed } from './named-node.ts';
import { wholeHistory } from './stored-session.ts';
import { activeLeaf, type Tree } from './tree.ts';

export interface DroppedTurn {
  /** The message that a resume goes on from. */
  at: string;
  /** The uuid of the prompt whose turn, and nothing else, may be left behind by it. */
  turn: string;
}

/**
 * Guards a resume from an earlier message: what it leaves behind of the active branch must all belong to one turn.
 * Throws `resume_rejected` when there is something else, such as a message that the session took in meanwhile and whoever
 * resumes does not know of. The beginning of the text is one that hosts match.
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

/** What a plain resume would go on from, and this one would not. */
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
  // Results and outputs of the turn before are part of the path to its answer, wherever they hang.
  const earlier = before.find((entry) => entry.type === 'assistant' || isSaid(entry));
  if (earlier) return { what: earlier.type === 'assistant' ? 'an answer' : 'a message', entry: earlier };
  const joined = within.find(isSaid);
  return joined ? { what: 'a message that came meanwhile', entry: joined } : null;
}

/** By a person, a host or a task: not the mark of an interrupt, and nothing that the runtime added of its own accord. */
function isSaid(entry: Entry): boolean {
  if (entry.type === 'attachment') return isObject(entry.attachment) && entry.attachment.type === 'queued_command';
  return isPrompt(entry) && !textOf(entry).startsWith(INTERRUPTED);
}

const INTERRUPTED = '[Request interrupted by user';
