import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import type { Finding, RetainedSegment, Tree, TreeNode } from './tree.ts';

/**
 * Messages that compactions retained word for word. Heddle writes them again after the summary, where they need no
 * special handling. Newer versions of the reference leave them before the boundary, which names them; readers insert
 * them after the anchor: the summary, or the boundary when the beginning was retained. The tree stays as the file links
 * it; only paths include them.
 */

/** The messages that a boundary names as retained. */
interface RetainedNames {
  anchor: string;
  /** All of them in their order (`preservedMessages`), or the first and the last (`preservedSegment`). */
  uuids: readonly string[];
  isList: boolean;
}

/** Whether all messages that the entry retains, if it is such a boundary, are among these. */
export function isRetainedAmong(entry: Entry, uuids: ReadonlySet<string>): boolean {
  return retainedNames(entry)?.uuids.every((uuid) => uuids.has(uuid)) ?? true;
}

/**
 * Fills `kept` with the messages that the boundaries among the nodes retain. `earlier` returns the conversation up to a
 * message, including what is in `kept` so far: a message may be retained through several compactions. A boundary with
 * invalid names retains nothing and becomes a finding.
 */
export function findRetained(
  { nodes, retained }: { nodes: ReadonlyMap<string, TreeNode>; retained: Map<TreeNode, RetainedSegment> },
  earlier: (uuid: string) => readonly TreeNode[],
): Finding[] {
  const findings: Finding[] = [];
  for (const boundary of nodes.values()) {
    const names = retainedNames(boundary.entry);
    if (names === null || standBehind(boundary, names, nodes)) continue;
    const segment = segmentOf(boundary, names, { nodes, earlier });
    if (typeof segment !== 'string') retained.set(boundary, segment);
    else findings.push({ kind: 'lost_segment', line: boundary.line, uuid: boundary.id, reason: segment });
  }
  return findings;
}

/** The messages that the compaction at the start of a path has retained. */
export function retainedOn(tree: Pick<Tree, 'retained'>, [first]: readonly TreeNode[]): RetainedSegment | null {
  return (first && tree.retained.get(first)) ?? null;
}

/** A path with the retained messages after their anchor. */
export function withRetained(path: readonly TreeNode[], { anchor, nodes }: RetainedSegment): TreeNode[] {
  const at = path.indexOf(anchor) + 1;
  return at === 0 ? [...path] : [...path.slice(0, at), ...nodes, ...path.slice(at)];
}

/** The entries of such a path, linked in its order: a copy of them is a complete conversation. */
export function relinked(path: readonly TreeNode[], { anchor, nodes }: RetainedSegment): Entry[] {
  const kept = new Set(nodes);
  let last = anchor;
  return path.map((node) => {
    if (!kept.has(node)) return node.parent === anchor ? { ...node.entry, parentUuid: last.id } : node.entry;
    const entry = { ...node.entry, parentUuid: last.id };
    last = node;
    return entry;
  });
}

/** The metadata of a boundary after its messages got new uuids; a message without a new uuid is not named. */
export function renameRetained(metadata: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  const { preservedSegment, preservedMessages, ...rest } = metadata;
  const names = retainedNames({ type: 'system', subtype: 'compact_boundary', compactMetadata: metadata });
  const [anchorUuid, ...uuids] = names ? [names.anchor, ...names.uuids].map((uuid) => renamed.get(uuid)) : [];
  if (names === null || anchorUuid === undefined || uuids.includes(undefined)) return rest;
  const [headUuid, tailUuid] = [uuids[0], uuids.at(-1)];
  const listed = names.isList && { preservedMessages: { anchorUuid, uuids } };
  return { ...rest, preservedSegment: { headUuid, anchorUuid, tailUuid }, ...listed };
}

function retainedNames({ type, subtype, compactMetadata }: Entry): RetainedNames | null {
  if (type !== 'system' || subtype !== 'compact_boundary' || !isObject(compactMetadata)) return null;
  const { preservedMessages: listed, preservedSegment: ends } = compactMetadata;
  const uuids = isObject(listed) && Array.isArray(listed.uuids) ? listed.uuids : null;
  if (uuids?.every((uuid) => typeof uuid === 'string')) {
    return uuids.length === 0 ? null : { anchor: stringField(listed, 'anchorUuid') ?? '', uuids, isList: true };
  }
  if (!isObject(ends)) return listed === undefined ? null : { anchor: '', uuids: [''], isList: true };
  const [anchor = '', head = '', tail = ''] = ['anchorUuid', 'headUuid', 'tailUuid'].map((key) =>
    stringField(ends, key),
  );
  return { anchor, uuids: [head, tail], isList: false };
}

/** True for Heddle's own copies, which come after the boundary. */
function standBehind({ index }: TreeNode, { uuids }: RetainedNames, nodes: ReadonlyMap<string, TreeNode>): boolean {
  return uuids.every((uuid) => (nodes.get(uuid)?.index ?? -1) > index);
}

interface Surroundings {
  nodes: ReadonlyMap<string, TreeNode>;
  earlier(uuid: string): readonly TreeNode[];
}

/** The segment, or the reason why there is none. */
function segmentOf(
  boundary: TreeNode,
  names: RetainedNames,
  { nodes, earlier }: Surroundings,
): RetainedSegment | string {
  const anchor = nodes.get(names.anchor);
  if (!anchor || !isAtOrBelow(anchor, boundary)) return 'what they follow is not behind the boundary';
  const replaced = stringField(boundary.entry, 'logicalParentUuid') ?? '';
  const before = earlier(nodes.has(replaced) ? replaced : (names.uuids.at(-1) ?? ''));
  if (before[0] === boundary) return 'what the boundary replaces stands behind it';
  const places = new Map(before.map(({ id }, at) => [id, at]));
  const at = names.uuids.flatMap((uuid) => places.get(uuid) ?? []);
  if (at.length < names.uuids.length) return 'not all of them are in the conversation that the boundary replaces';
  const kept = names.isList ? at.flatMap((place) => before[place] ?? []) : between(before, at);
  if (kept.length === 0) return 'the first of them stands behind the last';
  if (new Set(kept).size < kept.length) return 'one of them is named twice';
  if (kept.some(({ entry }) => entry.subtype === 'compact_boundary')) return 'an earlier compaction is among them';
  return { anchor, nodes: kept };
}

function between(path: readonly TreeNode[], [head = 0, tail = 0]: readonly number[]): TreeNode[] {
  return path.slice(head, tail + 1);
}

function isAtOrBelow(node: TreeNode, ancestor: TreeNode): boolean {
  for (let at: TreeNode | null = node; at !== null; at = at.parent) if (at === ancestor) return true;
  return false;
}
