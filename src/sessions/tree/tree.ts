import type { Entry } from '../../wire/entries.ts';
import type { Damage } from '../store.ts';

/**
 * An entry in the tree. Its links are parsed once: entries come in many shapes, and every walk through the tree needs
 * them.
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
  /** A message of the user or the model, or the result of a tool. */
  readonly isMessage: boolean;
  /** The key of the model answer that it is a block of, if it is one and that has a key. */
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

/** An irregularity in the file, and how it was resolved. */
export type Finding =
  | ({ kind: 'damage' } & Damage)
  | { kind: 'duplicate'; line: number; uuid: string }
  /** The entry's parent is not in the file, or following it leads in a circle; it was linked by the order of the file. */
  | { kind: 'missing_parent' | 'cycle'; line: number; uuid: string; parentUuid: string | null; linkedTo: string | null }
  /** A tool result whose call is not above it; it was linked to the call. */
  | { kind: 'misplaced_result'; line: number; uuid: string; parentUuid: string | null; linkedTo: string | null }
  /** A compaction boundary that retains messages which cannot be placed after it: the conversation lacks them. */
  | { kind: 'lost_segment'; line: number; uuid: string; reason: string }
  /** Messages of an old file without uuids, read in their order. */
  | { kind: 'no_uuid'; line: number; count: number };

export interface Tree {
  /** Every entry with a uuid is a node, also progress, attachments and unknown kinds. */
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly roots: readonly TreeNode[];
  /** The ends of the branches, in the order of the file; one per branch, without sidechains. */
  readonly leaves: readonly TreeNode[];
  /** The last leaf that was recorded as the active one, unless messages were written after that. */
  readonly recordedLeaf: TreeNode | null;
  /** What was repaired or dropped, in the order of the file where it has one. */
  readonly findings: readonly Finding[];
  /** The step of each node: the model call that it belongs to. */
  readonly steps: ReadonlyMap<TreeNode, Step>;
  /** The results of a call, by the call's id, wherever they are. */
  readonly results: ReadonlyMap<string, readonly TreeNode[]>;
  /** The messages that compactions have retained, by the boundary. */
  readonly retained: ReadonlyMap<TreeNode, RetainedSegment>;
}

/** Messages that a compaction has retained word for word and left at their position before its boundary. */
export interface RetainedSegment {
  /** In the conversation they follow this node: the summary, or the boundary. */
  readonly anchor: TreeNode;
  /** In the order of the conversation. */
  readonly nodes: readonly TreeNode[];
}

/**
 * A unit of the tree: a prompt, or one model answer (an entry per block) with the results of its calls, and the
 * progress, attachments and notices that are linked to them. Parallel results are siblings, each linked to its own
 * call, so a branch inside a step is not a choice of the user; such choices are between steps.
 */
export interface Step {
  /** Parents before children. */
  readonly members: TreeNode[];
  /** The answer's key, when the step is a model answer. */
  readonly answer: string | null;
  readonly calls: Set<string>;
  /** A message of the same lane continues from here in another step. */
  continued: boolean;
}
