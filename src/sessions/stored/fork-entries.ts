import { isObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { renameRetained } from '../tree/retained-segment.ts';
import type { Tree, TreeNode } from '../tree/tree.ts';
import { wholeHistory } from './stored-session.ts';

export interface ForkIds {
  /** The session id of the source. */
  from: string;
  /** The session id of the fork. */
  to: string;
  newUuid(): string;
}

/**
 * The branch up to a message as the entries of a new session, from the very beginning on: with new uuids, the same
 * links, and each with its origin. Entries are copied field by field; messages are shared.
 */
export function forkedEntries(tree: Tree, leafId: string, ids: ForkIds): Entry[] {
  const nodes = nodesOf(tree, wholeHistory(tree, leafId));
  const renamed = new Map(nodes.map((node) => [node.id, ids.newUuid()]));
  return nodes.map((node) => ({
    ...node.entry,
    ...links(node, renamed),
    uuid: renamed.get(node.id),
    sessionId: ids.to,
    forkedFrom: { sessionId: ids.from, messageUuid: node.id },
  }));
}

function nodesOf(tree: Tree, entries: readonly Entry[]): TreeNode[] {
  const chosen = new Set(entries);
  const byEntry = new Map([...tree.nodes.values()].filter(({ entry }) => chosen.has(entry)).map((n) => [n.entry, n]));
  return [...chosen].flatMap((entry) => byEntry.get(entry) ?? []);
}

/** The fields that name other entries; an entry that is not in the fork is not named. */
function links({ entry, parent }: TreeNode, renamed: ReadonlyMap<string, string>): Partial<Entry> {
  const { logicalParentUuid, sourceToolAssistantUUID, compactMetadata } = entry;
  return {
    parentUuid: above(parent, renamed),
    ...(logicalParentUuid !== undefined && { logicalParentUuid: renamed.get(String(logicalParentUuid)) ?? null }),
    sourceToolAssistantUUID: renamed.get(String(sourceToolAssistantUUID)),
    ...(isObject(compactMetadata) && { compactMetadata: renameRetained(compactMetadata, renamed) }),
  };
}

/** A result next to the path may have a parent that is not on it; the nearest copied ancestor is used. */
function above(parent: TreeNode | null, renamed: ReadonlyMap<string, string>): string | null {
  for (let node = parent; node !== null; node = node.parent) {
    const uuid = renamed.get(node.id);
    if (uuid !== undefined) return uuid;
  }
  return null;
}
