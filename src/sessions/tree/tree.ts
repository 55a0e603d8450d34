import type { Entry } from '../wire/entries.ts';
import type { Damage } from './store.ts';

/**
 * An entry in the tree. What it says about its place is read once: entries come in many shapes, and every walk through
 * the tree asks for it.
 */
export interface TreeNode {
  /** The entry's uuid; `line:N` for a message of an old file that has none. */
  readonly id: string;
  readonly entry: Entry;
  readonly line: number;
  /** Position among the nodes, in the order of the file. */
  readonly index: number;
  /** Not part of the conversation itself: a subagent's entry in its parent's file. */
  readonly isSidechain: boolean;
  /** What a user or the model said, or the result of a tool. */
  readonly isMessage: boolean;
  /** The name of the model answer that it is a block of, if it is one and that has a name. */
  readonly answer: string | null;
  /** The ids of the tool calls that it makes. */
  readonly calls: readonly string[];
  /** The ids of the tool calls that it answers. */
  readonly answers: readonly string[];
  /** After repair; null for a root. */
  parent: TreeNode | null;
  /** In the order of the file. */
  readonly children: TreeNode[];
}

/** Something in the file that did not fit, and what was made of it. */
export type Finding =
  | ({ kind: 'damage' } & Damage)
  | { kind: 'duplicate'; line: number; uuid: string }
  /** The entry's parent is not in the file, or following it leads in a circle; it was linked by the order of the file. */
  | { kind: 'missing_parent' | 'cycle'; line: number; uuid: string; parentUuid: string | null; linkedTo: string | null }
  /** A tool result that hangs from where its call is not above it; it was hung from the call. */
  | { kind: 'misplaced_result'; line: number; uuid: string; parentUuid: string | null; linkedTo: string | null }
  /** A compaction boundary that keeps messages which cannot be put behind it: the conversation is without them. */
  | { kind: 'lost_segment'; line: number; uuid: string; reason: string }
  /** Messages of an old file, read one after the other. */
  | { kind: 'no_uuid'; line: number; count: number };

export interface Tree {
  /** Every entry with a uuid is a node, also progress, attachments and kinds we do not know (ruling K14). */
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly roots: readonly TreeNode[];
  /** The ends of the branches, in the order of the file; one per branch, sidechains apart. */
  readonly leaves: readonly TreeNode[];
  /** The last leaf that was recorded as the active one, unless messages were written after that. */
  readonly recordedLeaf: TreeNode | null;
  /** What was repaired or dropped, in the order of the file where it has one (ruling K15). */
  readonly findings: readonly Finding[];
  /** Which model call each node belongs to. */
  readonly steps: ReadonlyMap<TreeNode, Step>;
  /** What answers a call, by the call's id, wherever it stands. */
  readonly results: ReadonlyMap<string, readonly TreeNode[]>;
  /** What compactions have kept from before them, by the boundary. */
  readonly kept: ReadonlyMap<TreeNode, KeptSegment>;
}

/** Messages that a compaction has kept word for word and left where they were, before its boundary. */
export interface KeptSegment {
  /** In the conversation they follow this node: the summary, or the boundary. */
  readonly anchor: TreeNode;
  /** In the order of the conversation. */
  readonly nodes: readonly TreeNode[];
}

/**
 * What belongs together in the tree: a prompt, or one model answer (an entry per block) with the results of its calls,
 * and the progress, attachments and notices that hang from them. Parallel results hang beside each other, each from
 * its own call, so inside a step the tree branches without being a choice; choices are between steps.
 */
export interface Step {
  /** Parents before children. */
  readonly members: TreeNode[];
  /** The answer's name, when the step is a model answer. */
  readonly answer: string | null;
  readonly calls: Set<string>;
  /** A message of the same lane goes on from here in another step. */
  continued: boolean;
}
