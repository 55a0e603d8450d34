import { blocksOf, isConversation, isPrompt, textOf } from '../sessions/entry-fields.ts';
import type { LeanSession } from '../sessions/stored/lean-session.ts';
import { isShown } from '../sessions/stored/messages.ts';
import { findMessage, wholeHistory } from '../sessions/stored/stored-session.ts';
import { firstWords } from '../sessions/terminal-text.ts';
import { activeLeaf } from '../sessions/tree/build-tree.ts';
import { isObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';

/** One of two branches that are compared. */
export interface BranchSide {
  session: LeanSession;
  sessionId: string;
  leaf: string | null;
  /** What this branch alone has, from the point at which they part. */
  own: Entry[];
  turns: number;
  /** Files that calls of this part have changed, in the order of their first change. */
  files: string[];
}

export interface BranchComparison {
  a: BranchSide;
  b: BranchSide;
  /** How many messages both begin with, and the last of them. */
  common: { messages: number; last: { uuid: string; text: string } | null };
}

export interface BranchName {
  session: LeanSession;
  /** A message of the session; undefined: its active branch. */
  message: string | undefined;
}

/**
 * Two branches, of one session or of two, from the message at which they part. A fork has copies of the messages of its
 * source; they count as the same. Throws `session_not_found` for an unknown message.
 */
export function compareBranches(a: BranchName, b: BranchName): BranchComparison {
  const [ofA, ofB] = [pathOf(a), pathOf(b)];
  let shared = 0;
  while (shared < ofA.entries.length && shared < ofB.entries.length) {
    if (!isSame(ofA.entries[shared] as Entry, ofB.entries[shared] as Entry)) break;
    shared++;
  }
  const common = ofA.entries.slice(0, shared).filter((entry) => isShown(entry, {}));
  const last = common.at(-1);
  return {
    a: sideOf(a, ofA, shared),
    b: sideOf(b, ofB, shared),
    common: {
      messages: common.length,
      last: last ? { uuid: stringField(last, 'uuid') ?? '', text: firstWords(textOf(last), 80) } : null,
    },
  };
}

interface BranchPath {
  entries: Entry[];
  leaf: string | null;
}

function pathOf({ session, message }: BranchName): BranchPath {
  const end = message === undefined ? activeLeaf(session.tree).leaf : findMessage(session, message);
  return { entries: end ? wholeHistory(session.tree, end.id) : [], leaf: end?.id ?? null };
}

function sideOf({ session }: BranchName, { entries, leaf }: BranchPath, shared: number): BranchSide {
  const own = entries.slice(shared);
  return { session, sessionId: session.sessionId, leaf, own, turns: own.filter(isPrompt).length, files: filesIn(own) };
}

/** The same entry, or copies of the same one. */
function isSame(a: Entry, b: Entry): boolean {
  const [ofA, ofB] = [namesOf(a), namesOf(b)];
  return ofA.some((name) => ofB.includes(name));
}

function namesOf(entry: Entry): string[] {
  const names = [stringField(entry, 'uuid'), stringField(entry.forkedFrom, 'messageUuid')];
  return names.filter((name) => name !== undefined && name !== '') as string[];
}

const CHANGING: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

function filesIn(entries: readonly Entry[]): string[] {
  const files = new Set<string>();
  for (const entry of entries) {
    if (!isConversation(entry) || entry.type !== 'assistant') continue;
    for (const block of blocksOf(entry)) {
      const input = isObject(block.input) ? block.input : {};
      const path = stringField(input, 'file_path') ?? stringField(input, 'notebook_path');
      if (block.type === 'tool_use' && CHANGING.has(stringField(block, 'name') ?? '') && path) files.add(path);
    }
  }
  return [...files];
}
