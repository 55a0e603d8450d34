import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { answeredIds, blocksOf, instantOf, isConversation, isErrorAnswer } from '../entry-fields.ts';
import { promptOf, textsOf } from '../entry-texts.ts';
import type { StoredSession } from '../stored/stored-session.ts';
import { activeLeaf } from '../tree/build-tree.ts';
import type { Step, TreeNode } from '../tree/tree.ts';

/** One prompt, or one model answer with its results: the unit of a tree drawing. */
export interface OutlineStep {
  /** Its last message, from which a conversation can continue. */
  readonly id: string;
  /** The ids of all its nodes. */
  readonly ids: ReadonlySet<string>;
  readonly kind: 'prompt' | 'answer' | 'summary' | 'note';
  readonly text: string;
  /** Milliseconds since the epoch, of its last message; 0 when unknown. */
  readonly at: number;
  /** As the answer itself reports. */
  readonly tokens: Tokens | null;
  /** The cost that the session recorded for the turn that ends here. */
  booked: Booking | null;
  /** Whether a cost was recorded for the turn of this answer. */
  isBooked: boolean;
  parent: OutlineStep | null;
  readonly children: OutlineStep[];
}

export interface Tokens {
  /** Tokens sent, including cached ones. */
  input: number;
  /** Null when the file was written before the answer was complete. */
  output: number | null;
}

export interface Booking {
  costUsd: number;
  tokens: Tokens;
}

export interface Outline {
  roots: OutlineStep[];
  /** In the order of the file. */
  steps: OutlineStep[];
  /** The step from which the conversation continues. */
  active: OutlineStep | null;
  /** The message itself, and the rule that selected it. */
  activeId: string | null;
  rule: 'explicit' | 'recorded' | 'file_order';
}

/**
 * The tree of a session for people: without sidechains and entries that are merely attached to messages; what follows a
 * compaction is linked to what the compaction replaced.
 */
export function outlineOf(session: StoredSession): Outline {
  const { tree } = session;
  const made = new Map<Step, OutlineStep>();
  for (const step of inFileOrder(new Set(tree.steps.values()))) {
    const messages = step.members.filter((node) => !node.isSidechain && isConversation(node.entry));
    if (messages.length > 0) made.set(step, outlineStep(step, messages));
  }
  const stepAt = (node: TreeNode | null | undefined) => {
    for (let at = node ?? null; at; at = at.parent) {
      const step = tree.steps.get(at);
      const found = step && made.get(step);
      if (found) return found;
    }
    return null;
  };
  for (const [step, own] of made) own.parent = stepAt(step.members[0]?.parent);
  for (const [step, own] of made) if (!own.parent) own.parent = beforeCompaction(step, own, session, stepAt);
  const steps = [...made.values()];
  for (const own of steps) own.parent?.children.push(own);
  addCosts(session, (node) => made.get(tree.steps.get(node) as Step) ?? null);
  const { leaf, rule } = activeLeaf(tree);
  return {
    steps,
    roots: steps.filter(({ parent }) => parent === null),
    active: stepAt(leaf),
    activeId: leaf?.id ?? null,
    rule,
  };
}

function inFileOrder(steps: Iterable<Step>): Step[] {
  const first = ({ members }: Step) => members[0]?.index ?? 0;
  return [...steps].sort((a, b) => first(a) - first(b));
}

function outlineStep(step: Step, messages: readonly TreeNode[]): OutlineStep {
  const last = messages.reduce((newest, node) => (node.index > newest.index ? node : newest));
  const entries = messages.map(({ entry }) => entry);
  return {
    id: last.id,
    ids: new Set(step.members.map(({ id }) => id)),
    ...gistOf(entries),
    at: instantOf(last.entry),
    tokens: tokensOf(entries),
    booked: null,
    isBooked: false,
    parent: null,
    children: [],
  };
}

function gistOf(entries: readonly Entry[]): Pick<OutlineStep, 'kind' | 'text'> {
  const [first] = entries;
  const prompt = first ? promptOf(first) : null;
  if (prompt !== null) return { kind: 'prompt', text: prompt };
  const texts = entries.flatMap(textsOf);
  if (first?.isCompactSummary === true) return { kind: 'summary', text: texts[0]?.text ?? '' };
  if (first?.type !== 'assistant') return { kind: 'note', text: texts[0]?.text ?? '' };
  const said = texts.find(({ role, text }) => role === 'assistant' && text.trim() !== '')?.text;
  return { kind: 'answer', text: said ?? callNames(entries) };
}

function callNames(entries: readonly Entry[]): string {
  const calls = entries.flatMap(blocksOf).filter(({ type }) => type === 'tool_use');
  return calls.map((call) => `[${stringField(call, 'name') ?? 'tool'}]`).join(' ');
}

/**
 * Every block of an answer repeats its usage; the last one counts. If the entry was written before the answer was
 * complete, its number of output tokens is unknown.
 */
function tokensOf(entries: readonly Entry[]): Tokens | null {
  const answer = entries.findLast((entry) => entry.type === 'assistant' && !isErrorAnswer(entry));
  const message = isObject(answer?.message) ? answer.message : {};
  const { usage } = message;
  if (!isObject(usage)) return null;
  const input = sumOf(usage, ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']);
  return { input, output: typeof message.stop_reason === 'string' ? sumOf(usage, ['output_tokens']) : null };
}

/** The step that a compaction boundary continues; null for a real root, and where a damaged file contains a circle. */
function beforeCompaction(
  step: Step,
  own: OutlineStep,
  { tree }: StoredSession,
  stepAt: (node: TreeNode | undefined) => OutlineStep | null,
): OutlineStep | null {
  let root = step.members[0];
  while (root?.parent) root = root.parent;
  const before = stepAt(tree.nodes.get(stringField(root?.entry, 'logicalParentUuid') ?? ''));
  for (let above = before; above; above = above.parent) if (above === own) return null;
  return before;
}

/**
 * A `cost-state` entry holds the total of the session after a turn, so the difference to the one before is the cost of
 * that turn. Turns without such an entry (copied by a fork, killed, of other versions) have no recorded cost.
 */
function addCosts({ tree, loaded }: StoredSession, stepOf: (node: TreeNode) => OutlineStep | null): void {
  let before = bookedSum({ type: 'cost-state' });
  let turn: OutlineStep[] = [];
  for (const item of loaded) {
    if (!('entry' in item)) continue;
    const { entry } = item;
    if (entry.type === 'cost-state') {
      const sum = bookedSum(entry);
      const last = turn.at(-1);
      if (last) last.booked = sum.costUsd < before.costUsd ? sum : difference(sum, before);
      for (const step of turn) step.isBooked = true;
      before = sum;
      turn = [];
    }
    const node = tree.nodes.get(stringField(entry, 'uuid') ?? '');
    const step = node && stepOf(node);
    if (!step) continue;
    if (step.kind === 'prompt' && !joinsTurn(node)) turn = [];
    if (step.kind === 'answer' && turn.at(-1) !== step) turn.push(step);
  }
}

interface BookedSum extends Booking {
  tokens: { input: number; output: number };
}

function bookedSum({ totalCostUSD, modelUsage }: Entry): BookedSum {
  const models = isObject(modelUsage) ? Object.values(modelUsage).filter(isObject) : [];
  const sum = (names: string[]) => models.reduce((total, counts) => total + sumOf(counts, names), 0);
  return {
    costUsd: typeof totalCostUSD === 'number' ? totalCostUSD : 0,
    tokens: {
      input: sum(['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']),
      output: sum(['outputTokens']),
    },
  };
}

function difference(sum: BookedSum, before: BookedSum): BookedSum {
  return {
    costUsd: sum.costUsd - before.costUsd,
    tokens: {
      input: Math.max(0, sum.tokens.input - before.tokens.input),
      output: Math.max(0, sum.tokens.output - before.tokens.output),
    },
  };
}

function sumOf(counts: JsonObject, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (typeof counts[name] === 'number' ? counts[name] : 0), 0);
}

/** A prompt after results was added to the running turn. */
function joinsTurn({ parent }: TreeNode): boolean {
  return parent !== null && answeredIds(parent.entry).length > 0;
}
