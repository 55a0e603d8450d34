import { displayWidth } from '../util/display-width.ts';
import type { Paint } from '../util/paint.ts';
import type { Outline, OutlineStep, Tokens } from './outline.ts';
import { shortIds } from './short-ids.ts';
import { firstWords } from './shown-text.ts';
import { costOf, type Stretch, stretchesOf, stretchTitle, tokensIn, turnsIn } from './stretches.ts';

export interface DrawOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
  /** Summaries of branches, by the uuid of their leaf. */
  summaries: ReadonlyMap<string, string>;
  /** A line for every message instead of one for every stretch without a branch. */
  messages: boolean;
}

/**
 * Draws the tree of a session, a branch below another. The conversation that goes on is filled, its leaf is marked.
 *
 *     ● fix the login form · 1 turn · 3f2a9c11
 *     ├─○ with a test · 2 turns · $0.0210 · 81b0d2aa
 *     └─● without one · 1 turn · 5c77e0f4 ◀ active
 */
export function drawTree(outline: Outline, options: DrawOptions): string[] {
  const { paint } = options;
  const shorten = shortIds(outline.steps.map(({ id }) => id));
  const indents = new Map<Stretch, string>();
  return stretchesOf(outline).flatMap((stretch) => {
    const [joint, below] = jointsOf(stretch, indents);
    indents.set(stretch, below);
    const bullet = stretch.isOnActivePath ? paint.green('●') : '○';
    const labels = options.messages
      ? stretch.steps.map((step) => messageLabel(step, outline, shorten))
      : [stretchLabel(stretch, outline, { ...options, shorten })];
    const room = options.width - displayWidth(joint) - 2;
    return labels.map((label, at) => {
      const text = fitted(label, room, paint);
      return at === 0 ? `${paint.dim(joint)}${bullet} ${text}` : `${paint.dim(below)}${bar(stretch, paint)} ${text}`;
    });
  });
}

function jointsOf(stretch: Stretch, indents: ReadonlyMap<Stretch, string>): [joint: string, below: string] {
  const { parent } = stretch;
  if (!parent) return ['', ''];
  const above = indents.get(parent) ?? '';
  return parent.children.at(-1) === stretch ? [`${above}└─`, `${above}  `] : [`${above}├─`, `${above}│ `];
}

/** Beside the further messages of a stretch: the line leads down to the branches below them. */
function bar({ children }: Stretch, paint: Paint): string {
  return children.length > 0 ? paint.dim('│') : ' ';
}

interface Label {
  text: string;
  facts: string[];
  /** What marks the place where the conversation goes on. */
  mark: string;
}

function stretchLabel(
  stretch: Stretch,
  outline: Outline,
  { summaries, shorten }: DrawOptions & { shorten: (id: string) => string },
): Label {
  const { steps } = stretch;
  const turns = turnsIn(steps);
  const end = steps.at(-1);
  const active = stretch.holdsActive && outline.active;
  return {
    text: stretchTitle(stretch, summaries),
    facts: [`${turns} ${turns === 1 ? 'turn' : 'turns'}`, ...priceOf(steps), end ? shorten(end.id) : ''],
    mark: active ? (active === end ? '◀ active' : `◀ active at ${shorten(active.id)}`) : '',
  };
}

function messageLabel(step: OutlineStep, outline: Outline, shorten: (id: string) => string): Label {
  return {
    text: `${WHO[step.kind]} ${step.text}`,
    facts: [...priceOf([step]), shorten(step.id)],
    mark: step === outline.active ? '◀ active' : '',
  };
}

const WHO: Record<OutlineStep['kind'], string> = {
  prompt: 'you:',
  answer: 'agent:',
  summary: '(compacted)',
  note: '(note)',
};

/** What it has cost; where that is not known, what it has used. */
function priceOf(steps: readonly OutlineStep[]): string[] {
  const cost = costOf(steps);
  if (cost !== null && cost > 0) return [shownCost(cost)];
  const tokens = tokensIn(steps);
  return tokens === null ? [] : [shownTokens(tokens)];
}

export function shownCost(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function shownTokens({ input, output }: Tokens): string {
  return `${shortNumber(input)} tokens in${output === null ? '' : `, ${shortNumber(output)} out`}`;
}

function shortNumber(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

const LEAST_WORDS = 12;

function fitted({ text, facts, mark }: Label, room: number, paint: Paint): string {
  const tail = facts.map((fact) => ` · ${fact}`).join('');
  const end = mark === '' ? '' : ` ${mark}`;
  const words = firstWords(text, Math.max(LEAST_WORDS, room - displayWidth(tail) - displayWidth(end)));
  return `${words || '(no text)'}${paint.dim(tail)}${paint.green(end)}`;
}
