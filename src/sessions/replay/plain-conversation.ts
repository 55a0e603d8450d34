import type { Entry } from '../wire/entries.ts';
import { answeredIds, callIds, isConversation } from './entry-fields.ts';
import { isKeptAmong } from './kept-segment.ts';
import type { Loaded } from './store.ts';

/** A session that is one whole conversation, from the first entry of its file to the last. */
export interface PlainSession {
  /** Of every entry with a uuid: what `pathTo` gives for its only leaf. */
  readonly path: Entry[];
  /** Whether every call has a result. */
  readonly isSettled: boolean;
}

/**
 * Tells from one look at each entry that a session neither branches nor lacks anything: then the order of the file is
 * the conversation, and its tree, which has one leaf and no findings, need not be built. That is most of what a long
 * session costs to be resumed, after parsing it. Null whenever there is the least doubt: the tree knows what to do.
 */
export function plainSession(loaded: readonly Loaded[]): PlainSession | null {
  const plain = plainStretch(loaded);
  // Before a compaction there is another conversation.
  return plain?.path[0]?.logicalParentUuid === undefined ? plain : null;
}

/** The same for what came since the last compaction, whose boundary is the first entry. */
export function plainRecent(loaded: readonly Loaded[]): PlainSession | null {
  const plain = plainStretch(loaded);
  return typeof plain?.path[0]?.logicalParentUuid === 'string' ? plain : null;
}

function plainStretch(loaded: readonly Loaded[]): PlainSession | null {
  const path: Entry[] = [];
  const uuids = new Set<string>();
  const open = new Set<string>();
  let leaf: string | null = null;
  let newestLine: number | null = null;
  let record: LeafRecord | null = null;
  for (const item of loaded) {
    if (!('entry' in item)) return null;
    const { entry, line } = item;
    const { uuid } = entry;
    const isMessage = isConversation(entry);
    if (typeof uuid !== 'string' || uuid === '') {
      // A message without a name belongs to an old file.
      if (isMessage) return null;
      record = leafRecord(entry, line) ?? record;
      continue;
    }
    if (entry.parentUuid !== leaf || entry.isSidechain === true || uuids.has(uuid)) return null;
    if (!settles(entry, open)) return null;
    if (isMessage) newestLine = line;
    uuids.add(uuid);
    path.push(entry);
    leaf = uuid;
  }
  if (newestLine === null) return null;
  // What a compaction has kept stands before it, or nowhere.
  if (path[0] && !isKeptAmong(path[0], uuids)) return null;
  if (record && record.line >= newestLine && record.leaf !== leaf) return null;
  return { path, isSettled: open.size === 0 };
}

interface LeafRecord {
  leaf: string;
  line: number;
}

/** Where somebody has said that the session goes on. */
function leafRecord({ type, leafUuid }: Entry, line: number): LeafRecord | null {
  return type === 'last-prompt' && typeof leafUuid === 'string' ? { leaf: leafUuid, line } : null;
}

/** Notes the entry's calls as open, and closes those that it answers. False for a result without an open call. */
function settles(entry: Entry, open: Set<string>): boolean {
  for (const id of callIds(entry)) open.add(id);
  for (const id of answeredIds(entry)) if (!open.delete(id)) return false;
  return true;
}
