import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { Entry, FileBackup, FileHistorySnapshotEntry } from '../../wire/entries.ts';
import type { Tree } from './tree.ts';

/** The format of file checkpoints (wire.md 8.6): pure, no I/O. */
export type FileSnapshot = FileHistorySnapshotEntry['snapshot'];

/** The state of the tracked files when a user message was sent. */
export interface Checkpoint {
  readonly messageId: string;
  readonly timestamp: string;
  /** By absolute path. */
  readonly files: Map<string, FileBackup>;
  /** Files whose state at that moment is lost, with the reason. Not stored: only the run that lost them knows. */
  readonly lost: Map<string, string>;
}

/** The state of a file, or why it is unknown. */
export type FileState = FileBackup | { readonly reason: string };

const BACKUP_NAME = /^[0-9a-f]{16}@v[1-9]\d{0,9}$/;

/** The name of a backup inside the session's folder. */
export function backupName(path: string, version: number): string {
  return `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v${version}`;
}

/** False for a name that this format does not produce: a transcript from elsewhere must not lead out of the folder. */
export function isBackupName(name: string): boolean {
  return BACKUP_NAME.test(name);
}

export function toSnapshot(cwd: string, { messageId, timestamp, files }: Checkpoint): FileSnapshot {
  const entries = [...files].map(([path, backup]) => [keyOf(cwd, path), backup]);
  return { messageId, trackedFileBackups: Object.fromEntries(entries), timestamp };
}

export function toCheckpoint(cwd: string, { messageId, timestamp, trackedFileBackups }: FileSnapshot): Checkpoint {
  const files = Object.entries(trackedFileBackups).map(([key, backup]) => [resolve(cwd, key), backup] as const);
  return { messageId, timestamp: timestamp ?? '', files: new Map(files), lost: new Map() };
}

/** Relative to the working directory; absolute for files outside of it. */
function keyOf(cwd: string, path: string): string {
  return isInside(cwd, path) ? relative(cwd, path) : path;
}

/** The snapshots in the entries, one per message: an update replaces the last one of its message. */
export function readSnapshots(entries: Iterable<Entry>): FileSnapshot[] {
  const snapshots: FileSnapshot[] = [];
  for (const entry of entries) {
    const snapshot = snapshotOf(entry);
    if (!snapshot) continue;
    const known = entry.isSnapshotUpdate === true ? lastOf(snapshots, snapshot.messageId) : -1;
    if (known === -1) snapshots.push(snapshot);
    else snapshots[known] = snapshot;
  }
  return snapshots;
}

/** Only the snapshots of these messages, in the order of the messages. */
export function snapshotsOn(messages: Iterable<string>, entries: Iterable<Entry>): FileSnapshot[] {
  const byMessage = new Map<string, Entry>();
  for (const entry of entries) byMessage.set(stringField(entry, 'messageId') ?? '', entry);
  return readSnapshots([...messages].flatMap((uuid) => byMessage.get(uuid) ?? []));
}

/** The uuids from the beginning of the conversation to a node, across its compactions. */
export function lineage(tree: Tree, leafUuid: string): string[] {
  const found = new Set<string>();
  let node = tree.nodes.get(leafUuid);
  while (node && !found.has(node.id)) {
    found.add(node.id);
    node = node.parent ?? tree.nodes.get(stringField(node.entry, 'logicalParentUuid') ?? '');
  }
  return [...found].reverse();
}

export const NOT_SAVED = 'no copy from that moment was kept';

/**
 * The state of each file when a message was sent. The file system has one history, whatever branches the conversation
 * has: `history` is all checkpoints of the session, in the order of time. A file that was tracked only later had its
 * first recorded state until then, unless it was lost before. Null for an unknown message.
 */
export function stateAt(history: readonly Checkpoint[], messageId: string): Map<string, FileState> | null {
  const at = history.findLastIndex((checkpoint) => checkpoint.messageId === messageId);
  const target = history[at];
  if (!target) return null;
  const state = new Map<string, FileState>();
  const add = (path: string, found: FileState) => {
    if (!state.has(path)) state.set(path, found);
  };
  const addAll = ({ files, lost }: Checkpoint) => {
    for (const [path, backup] of files) add(path, backup);
    for (const [path, reason] of lost) add(path, { reason });
  };
  addAll(target);
  for (const { files } of history.slice(0, at)) for (const path of files.keys()) add(path, { reason: NOT_SAVED });
  for (const checkpoint of history.slice(at + 1)) addAll(checkpoint);
  return state;
}

function lastOf(snapshots: readonly FileSnapshot[], messageId: string): number {
  return snapshots.findLastIndex((snapshot) => snapshot.messageId === messageId);
}

/** Null for an entry that is not a snapshot; files with an invalid backup are left out. */
function snapshotOf({ type, snapshot }: Entry): FileSnapshot | null {
  const messageId = stringField(snapshot, 'messageId');
  if (type !== 'file-history-snapshot' || messageId === undefined || !isObject(snapshot)) return null;
  const tracked = isObject(snapshot.trackedFileBackups) ? snapshot.trackedFileBackups : {};
  const files = Object.entries(tracked).filter((file): file is [string, FileBackup] => isBackup(file[1]));
  const timestamp = stringField(snapshot, 'timestamp') ?? '';
  return { messageId, trackedFileBackups: Object.fromEntries(files), timestamp };
}

function isBackup(value: unknown): value is FileBackup {
  if (!isObject(value) || !Number.isSafeInteger(value.version)) return false;
  return value.backupFileName === null || typeof value.backupFileName === 'string';
}

/** The checkpoints that a session's file holds. */
export interface StoredCheckpoints {
  /** The session that made them: another one after a fork. */
  sessionId: string;
  /** All its snapshot entries, of every branch, in the order of the file. */
  entries: readonly Entry[];
  /** The messages of the active branch. */
  messages: readonly string[];
}
