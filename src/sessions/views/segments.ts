import type { Booking, Outline, OutlineStep, Tokens } from './outline.ts';

/** A part of the tree without branches. */
export interface Segment {
  readonly steps: readonly OutlineStep[];
  readonly parent: Segment | null;
  readonly children: Segment[];
  /** The active conversation leads through here. */
  readonly isOnActivePath: boolean;
  /** The conversation continues from here. */
  readonly holdsActive: boolean;
}

/** The segments of a tree, parents before children, in the order in which they are drawn. */
export function segmentsOf({ roots, active }: Outline): Segment[] {
  const onPath = new Set<OutlineStep>();
  for (let step = active; step && !onPath.has(step); step = step.parent) onPath.add(step);
  const found: Segment[] = [];
  const waiting = roots.map((first): { first: OutlineStep; parent: Segment | null } => ({ first, parent: null }));
  waiting.reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const steps = straightFrom(next.first);
    const segment: Segment = {
      steps,
      parent: next.parent,
      children: [],
      isOnActivePath: onPath.has(next.first),
      holdsActive: active !== null && steps.includes(active),
    };
    next.parent?.children.push(segment);
    found.push(segment);
    for (const first of [...(steps.at(-1)?.children ?? [])].reverse()) waiting.push({ first, parent: segment });
  }
  return found;
}

function straightFrom(first: OutlineStep): OutlineStep[] {
  const steps = [first];
  for (let step = first; step.children.length === 1 && step.children[0]; ) {
    step = step.children[0];
    steps.push(step);
  }
  return steps;
}

/** The title of a segment: its summary, else its first prompt, else its first text. */
export function segmentTitle({ steps }: Segment, summaries: ReadonlyMap<string, string>): string {
  const summary = [...summaries].findLast(([leaf]) => steps.some(({ ids }) => ids.has(leaf)))?.[1];
  return summary ?? steps.find(({ kind }) => kind === 'prompt')?.text ?? steps[0]?.text ?? '';
}

/** The number of prompts that a person wrote in these steps. */
export function turnsIn(steps: readonly OutlineStep[]): number {
  return steps.filter(({ kind }) => kind === 'prompt').length;
}

/** The cost of the turns in these steps; null unless all of them have a recorded cost. */
export function costOf(steps: readonly OutlineStep[]): number | null {
  const booked = bookingsOf(steps);
  return booked === null ? null : booked.reduce((sum, { costUsd }) => sum + costUsd, 0);
}

/** The token usage of these steps: as recorded, else as the answers report. Null when neither is known. */
export function tokensIn(steps: readonly OutlineStep[]): Tokens | null {
  const known = bookingsOf(steps)?.map(({ tokens }) => tokens) ?? steps.flatMap(({ tokens }) => tokens ?? []);
  if (known.length === 0) return null;
  return known.reduce((sum, { input, output }) => ({
    input: sum.input + input,
    output: sum.output === null || output === null ? null : sum.output + output,
  }));
}

function bookingsOf(steps: readonly OutlineStep[]): Booking[] | null {
  const answers = steps.filter(({ tokens }) => tokens !== null);
  if (answers.length === 0 || !answers.every(({ isBooked }) => isBooked)) return null;
  return answers.flatMap(({ booked }) => booked ?? []);
}
