import type {
  Branch as WireBranch,
  SessionNode as WireNode,
  SwitchLeafResult as WireSwitch,
  SessionTree as WireTree,
} from '../../wire/control/index.ts';

/**
 * The tree of a session, as programs get it. Its fields have the names of the wire and, in addition, the names of
 * options and methods, such as `parentUuid`.
 */

/** One entry of a session's tree. */
export interface SessionNode extends WireNode {
  /** The same as `parent_uuid`: null for a root. */
  parentUuid: string | null;
  /** The same as `is_sidechain`: the entry belongs to a subagent, not to the conversation. */
  isSidechain?: boolean;
}

/** All entries of a session, of every branch, in the order in which they were stored. */
export interface SessionTree extends WireTree {
  /** The same as `leaf_uuid`: the entry that the next message continues from; null in a session without messages. */
  leafUuid: string | null;
  nodes: SessionNode[];
}

/** A branch of a session, named by its last message. */
export interface Branch extends WireBranch {
  /** The same as `leaf_uuid`: the argument of `switch`. */
  leafUuid: string;
}

/** The result of a switch to another branch. */
export interface SwitchLeafResult extends WireSwitch {
  /** The same as `leaf_uuid`. */
  leafUuid: string;
}

export function toTree(tree: WireTree): SessionTree {
  return { ...tree, leafUuid: tree.leaf_uuid, nodes: (tree.nodes ?? []).map(toNode) };
}

export function toBranches(branches: readonly WireBranch[]): Branch[] {
  return branches.map(withLeaf);
}

export function withLeaf<T extends { leaf_uuid: string }>(of: T): T & { leafUuid: string } {
  return { ...of, leafUuid: of.leaf_uuid };
}

function toNode(node: WireNode): SessionNode {
  const isSidechain = node.is_sidechain;
  return { ...node, parentUuid: node.parent_uuid, ...(isSidechain !== undefined && { isSidechain }) };
}
