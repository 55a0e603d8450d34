import type { Booking, Outline, OutlineStep, Tokens } from './outline.ts';

/** A part of the tree in which nothing branches. */
export interface Stretch {
  readonly steps: readonly OutlineStep[];
  readonly parent: Stretch | null;
  readonly children: Stretch[];
  /** The conversation that goes on leads through here. */
  readonly isOnActivePath: boolean;
  /** The conversation goes on from here. */
  readonly holdsActive: boolean;
}

/** The stretches of a tree, parents before children, in the order in which they are drawn. */
export function stretchesOf({ roots, active }: Outline): Stretch[] {
  const onPath = new Set<OutlineStep>();
  for (let step = active; step && !onPath.has(step); step = step.parent) onPath.add(step);
  const found: Stretch[] = [];
  const waiting = roots.map((first): { first: OutlineStep; parent: Stretch | null } => ({ first, parent: null }));
  waiting.reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const steps = straightFrom(next.first);
    const stretch: Stretch = {
      steps,
      parent: next.parent,
      children: [],
      isOnActivePath: onPath.has(next.first),
      holdsActive: active !== null && steps.includes(active),
    };
    next.parent?.children.push(stretch);
    found.push(stretch);
    for (const first of [...(steps.at(-1)?.children ?? [])].reverse()) waiting.push({ first, parent: stretch });
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

/** What a stretch is called: its summary, else its first prompt, else what is said first. */
export function stretchTitle({ steps }: Stretch, summaries: ReadonlyMap<string, string>): string {
  const summary = [...summaries].findLast(([leaf]) => steps.some(({ ids }) => ids.has(leaf)))?.[1];
  return summary ?? steps.find(({ kind }) => kind === 'prompt')?.text ?? steps[0]?.text ?? '';
}

/** How many prompts a person wrote there. */
export function turnsIn(steps: readonly OutlineStep[]): number {
  return steps.filter(({ kind }) => kind === 'prompt').length;
}

/** What the turns there have cost; null unless all of them were booked. */
export function costOf(steps: readonly OutlineStep[]): number | null {
  const booked = bookingsOf(steps);
  return booked === null ? null : booked.reduce((sum, { costUsd }) => sum + costUsd, 0);
}

/** What was used there: as it was booked, else as far as the answers tell. Null when nothing does. */
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
