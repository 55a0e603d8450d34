import { isObject, type JsonObject, stringField } from '../../util/json.ts';

/** A prompt with what followed it until the next one. */
export interface Turn {
  readonly uuid: string;
  /** The message that the prompt follows; null for the first one. */
  readonly parentUuid: string | null;
  readonly text: string;
  /** Milliseconds since the epoch; 0 where it is not known. */
  readonly at: number;
  readonly parent: Turn | null;
  readonly next: Turn[];
  /** Answers and results, in the order of the file. */
  readonly messages: TreeMessage[];
}

export interface TreeMessage {
  readonly uuid: string;
  readonly type: string;
  readonly text: string;
}

/** Turns without a branch between them: one line of the tree. */
export interface Segment {
  readonly turns: readonly Turn[];
  readonly parent: Segment | null;
  readonly next: readonly Segment[];
  /** The conversation leads through here. */
  readonly isActive: boolean;
  /** The next prompt continues here. */
  readonly isHere: boolean;
}

/** The session's tree, as far as its pages are known: prompts, and where they part. */
export class BranchTree {
  readonly roots: Turn[] = [];
  /** The turn that each entry belongs to; null: before the first prompt. */
  readonly #turns = new Map<string, Turn | null>();
  #leaf: string | null = null;
  #leaves: readonly string[] = [];
  #count = 0;
  #total = 0;

  /** How many entries are read, and how many there are. */
  get read(): number {
    return this.#count;
  }

  get total(): number {
    return this.#total;
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  /** The turn in which the conversation continues; null where it is not read yet. */
  get here(): Turn | null {
    return (this.#leaf === null ? null : this.#turns.get(this.#leaf)) ?? null;
  }

  /** Takes a page of `session_tree`. */
  add(page: JsonObject): void {
    const nodes = Array.isArray(page.nodes) ? page.nodes.filter(isObject) : [];
    this.#leaf = stringField(page, 'leaf_uuid') ?? null;
    this.#leaves = Array.isArray(page.leaves) ? page.leaves.map(String) : [];
    this.#count += nodes.length;
    this.#total = typeof page.total === 'number' ? page.total : this.#count;
    for (const node of nodes) this.#addNode(node);
  }

  /** The end of what follows a turn: where one continues behind it. */
  endOf(turn: Turn): string {
    if (this.#leaf !== null && this.#turns.get(this.#leaf) === turn) return this.#leaf;
    const leaf = turn.next.length > 0 ? undefined : this.#leaves.findLast((uuid) => this.#turns.get(uuid) === turn);
    return leaf ?? turn.messages.at(-1)?.uuid ?? turn.uuid;
  }

  /** The lines of the tree. */
  stretches(): Segment[] {
    const active = new Set<Turn>();
    for (let turn = this.here; turn; turn = turn.parent) active.add(turn);
    const { here } = this;
    const made: Segment[] = [];
    const waiting = this.roots.map((first): { first: Turn; into: Segment[]; parent: Segment | null } => ({
      ...{ first, into: made, parent: null },
    }));
    for (let each = waiting.shift(); each; each = waiting.shift()) {
      const turns = [each.first];
      for (let [only, second] = each.first.next; only && !second; [only, second] = only.next) turns.push(only);
      const next: Segment[] = [];
      const isHere = here !== null && turns.includes(here);
      const stretch = { turns, parent: each.parent, next, isActive: active.has(each.first), isHere };
      each.into.push(stretch);
      for (const first of turns.at(-1)?.next ?? []) waiting.push({ first, into: next, parent: stretch });
    }
    return made;
  }

  #addNode(node: JsonObject): void {
    const uuid = stringField(node, 'uuid');
    if (uuid === undefined || node.is_sidechain === true) return;
    const parentUuid = stringField(node, 'parent_uuid') ?? null;
    const parent = (parentUuid === null ? null : this.#turns.get(parentUuid)) ?? null;
    const type = stringField(node, 'type') ?? '';
    const text = stringField(node, 'preview') ?? '';
    if (node.is_prompt !== true) {
      this.#turns.set(uuid, parent);
      if (type === 'user' || type === 'assistant') parent?.messages.push({ uuid, type, text });
      return;
    }
    const at = Date.parse(stringField(node, 'timestamp') ?? '') || 0;
    const turn: Turn = { uuid, parentUuid, text, at, parent, next: [], messages: [] };
    (parent?.next ?? this.roots).push(turn);
    this.#turns.set(uuid, turn);
  }
}

/** The number of branches: ends of the tree. */
export function branchCount(stretches: readonly Segment[]): number {
  return stretches.reduce((sum, { next }) => sum + (next.length === 0 ? 1 : branchCount(next)), 0);
}

/** The turns of the branch that are not on the other one. */
export function turnsApart(from: Turn | null, to: Turn | null): number {
  const kept = new Set<Turn>();
  for (let turn = to; turn; turn = turn.parent) kept.add(turn);
  let count = 0;
  for (let turn = from; turn && !kept.has(turn); turn = turn.parent) count++;
  return count;
}
