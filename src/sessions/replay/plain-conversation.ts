import type { Entry } from '../../wire/entries.ts';
import { answeredIds, callIds, isConversation } from '../entry-fields.ts';
import type { Loaded } from '../store.ts';
import { isRetainedAmong } from '../tree/retained-segment.ts';

/** A session that is one whole conversation, from the first entry of its file to the last. */
export interface PlainSession {
  /** Every entry with a uuid: the result of `pathTo` for its only leaf. */
  readonly path: Entry[];
  /** Whether every call has a result. */
  readonly isSettled: boolean;
}

/**
 * Detects, with one look at each entry, that a session neither branches nor lacks anything: then the order of the file
 * is the conversation, and its tree, which has one leaf and no findings, need not be built. Apart from parsing, that is
 * most of the cost of resuming a long session. Null in every doubtful case: the caller then builds the tree.
 */
export function plainSession(loaded: readonly Loaded[]): PlainSession | null {
  const plain = plainSegment(loaded);
  // Before a compaction there is another conversation.
  return plain?.path[0]?.logicalParentUuid === undefined ? plain : null;
}

/** `plainSession` for the part since the last compaction, whose boundary is the first entry. */
export function plainRecent(loaded: readonly Loaded[]): PlainSession | null {
  const plain = plainSegment(loaded);
  return typeof plain?.path[0]?.logicalParentUuid === 'string' ? plain : null;
}

function plainSegment(loaded: readonly Loaded[]): PlainSession | null {
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
      // A message without a uuid belongs to an old file.
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
  // Entries that a compaction retained must be among those before it.
  if (path[0] && !isRetainedAmong(path[0], uuids)) return null;
  if (record && record.line >= newestLine && record.leaf !== leaf) return null;
  return { path, isSettled: open.size === 0 };
}

interface LeafRecord {
  leaf: string;
  line: number;
}

/** The record of the message from which the session continues. */
function leafRecord({ type, leafUuid }: Entry, line: number): LeafRecord | null {
  return type === 'last-prompt' && typeof leafUuid === 'string' ? { leaf: leafUuid, line } : null;
}

/** Records the entry's calls as open, and closes those that it answers. False for a result without an open call. */
function settles(entry: Entry, open: Set<string>): boolean {
  for (const id of callIds(entry)) open.add(id);
  for (const id of answeredIds(entry)) if (!open.delete(id)) return false;
  return true;
}
