import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import type { Finding, KeptSegment, Tree, TreeNode } from './tree-model.ts';

/**
 * What compactions have kept word for word. We write it once more, behind the summary, where it needs no care. Newer
 * versions of the reference leave it where it was, before the boundary, which names it; readers put it behind the anchor:
 * the summary, or the boundary when the beginning was kept. The tree stays as the file links it, only paths hold it.
 */

/** What a boundary says it keeps. */
interface KeptNames {
  anchor: string;
  /** All of them in their order (`preservedMessages`), or the first and the last (`preservedSegment`). */
  uuids: readonly string[];
  isList: boolean;
}

/** Whether what the entry keeps, if it is a boundary that keeps something, is all among these. */
export function isKeptAmong(entry: Entry, uuids: ReadonlySet<string>): boolean {
  return keptNames(entry)?.uuids.every((uuid) => uuids.has(uuid)) ?? true;
}

/**
 * Fills `kept` with what the boundaries among the nodes keep from before them. `earlier` gives the conversation up to a
 * message, with what is in `kept` so far: a message may be kept through several compactions. Boundaries whose names make
 * no sense keep nothing, and are found.
 */
export function findKept(
  { nodes, kept }: { nodes: ReadonlyMap<string, TreeNode>; kept: Map<TreeNode, KeptSegment> },
  earlier: (uuid: string) => readonly TreeNode[],
): Finding[] {
  const findings: Finding[] = [];
  for (const boundary of nodes.values()) {
    const names = keptNames(boundary.entry);
    if (names === null || standBehind(boundary, names, nodes)) continue;
    const segment = segmentOf(boundary, names, { nodes, earlier });
    if (typeof segment !== 'string') kept.set(boundary, segment);
    else findings.push({ kind: 'lost_segment', line: boundary.line, uuid: boundary.id, reason: segment });
  }
  return findings;
}

/** What the compaction at the beginning of a path has kept from before it. */
export function keptOn(tree: Pick<Tree, 'kept'>, [first]: readonly TreeNode[]): KeptSegment | null {
  return (first && tree.kept.get(first)) ?? null;
}

/** A path with what was kept behind its anchor. */
export function withKept(path: readonly TreeNode[], { anchor, nodes }: KeptSegment): TreeNode[] {
  const at = path.indexOf(anchor) + 1;
  return at === 0 ? [...path] : [...path.slice(0, at), ...nodes, ...path.slice(at)];
}

/** The entries of such a path, linked in its order: whoever copies them has a conversation that stands alone. */
export function relinked(path: readonly TreeNode[], { anchor, nodes }: KeptSegment): Entry[] {
  const kept = new Set(nodes);
  let last = anchor;
  return path.map((node) => {
    if (!kept.has(node)) return node.parent === anchor ? { ...node.entry, parentUuid: last.id } : node.entry;
    const entry = { ...node.entry, parentUuid: last.id };
    last = node;
    return entry;
  });
}

/** The metadata of a boundary whose messages have other uuids now; what has none is not named. */
export function renameKept(metadata: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  const { preservedSegment, preservedMessages, ...rest } = metadata;
  const names = keptNames({ type: 'system', subtype: 'compact_boundary', compactMetadata: metadata });
  const [anchorUuid, ...uuids] = names ? [names.anchor, ...names.uuids].map((uuid) => renamed.get(uuid)) : [];
  if (names === null || anchorUuid === undefined || uuids.includes(undefined)) return rest;
  const [headUuid, tailUuid] = [uuids[0], uuids.at(-1)];
  const listed = names.isList && { preservedMessages: { anchorUuid, uuids } };
  return { ...rest, preservedSegment: { headUuid, anchorUuid, tailUuid }, ...listed };
}

function keptNames({ type, subtype, compactMetadata }: Entry): KeptNames | null {
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

/** Our own copies. */
function standBehind({ index }: TreeNode, { uuids }: KeptNames, nodes: ReadonlyMap<string, TreeNode>): boolean {
  return uuids.every((uuid) => (nodes.get(uuid)?.index ?? -1) > index);
}

interface Surroundings {
  nodes: ReadonlyMap<string, TreeNode>;
  earlier(uuid: string): readonly TreeNode[];
}

/** Or why there is none. */
function segmentOf(boundary: TreeNode, names: KeptNames, { nodes, earlier }: Surroundings): KeptSegment | string {
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
