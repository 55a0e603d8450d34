import { displayWidth } from '../../util/text/display-width.ts';
import type { Paint } from '../../util/text/paint.ts';
import { firstWords } from '../terminal-text.ts';
import type { Outline, OutlineStep, Tokens } from './outline.ts';
import { costOf, type Segment, segmentsOf, segmentTitle, tokensIn, turnsIn } from './segments.ts';

export interface DrawOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
  /** Summaries of branches, by the uuid of their leaf. */
  summaries: ReadonlyMap<string, string>;
  /** A line for every message instead of one for every segment without a branch. */
  messages: boolean;
}

/**
 * Draws the tree of a session, one branch below another. The active conversation is filled, and its leaf is marked.
 *
 * ● fix the login form · 1 turn · 3f2a9c11
 * ├─○ with a test · 2 turns · $0.0210 · 81b0d2aa
 * └─● without one · 1 turn · 5c77e0f4 ◀ active
 */
export function drawTree(outline: Outline, options: DrawOptions): string[] {
  const { paint } = options;
  const shorten = shortIds(outline.steps.map(({ id }) => id));
  const indents = new Map<Segment, string>();
  return segmentsOf(outline).flatMap((segment) => {
    const [joint, below] = jointsOf(segment, indents);
    indents.set(segment, below);
    const bullet = segment.isOnActivePath ? paint.green('●') : '○';
    const labels = options.messages
      ? segment.steps.map((step) => messageLabel(step, outline, shorten))
      : [segmentLabel(segment, outline, { ...options, shorten })];
    const room = options.width - displayWidth(joint) - 2;
    return labels.map((label, at) => {
      const text = fitted(label, room, paint);
      return at === 0 ? `${paint.dim(joint)}${bullet} ${text}` : `${paint.dim(below)}${bar(segment, paint)} ${text}`;
    });
  });
}

function jointsOf(segment: Segment, indents: ReadonlyMap<Segment, string>): [joint: string, below: string] {
  const { parent } = segment;
  if (!parent) return ['', ''];
  const above = indents.get(parent) ?? '';
  return parent.children.at(-1) === segment ? [`${above}└─`, `${above}  `] : [`${above}├─`, `${above}│ `];
}

/** Next to the further messages of a segment: the line leads down to the branches below them. */
function bar({ children }: Segment, paint: Paint): string {
  return children.length > 0 ? paint.dim('│') : ' ';
}

interface Label {
  text: string;
  details: string[];
  /** Marks the point from which the conversation continues. */
  mark: string;
}

function segmentLabel(
  segment: Segment,
  outline: Outline,
  { summaries, shorten }: DrawOptions & { shorten: (id: string) => string },
): Label {
  const { steps } = segment;
  const turns = turnsIn(steps);
  const end = steps.at(-1);
  const active = segment.holdsActive && outline.active;
  return {
    text: segmentTitle(segment, summaries),
    details: [`${turns} ${turns === 1 ? 'turn' : 'turns'}`, ...priceOf(steps), end ? shorten(end.id) : ''],
    mark: active ? (active === end ? '◀ active' : `◀ active at ${shorten(active.id)}`) : '',
  };
}

function messageLabel(step: OutlineStep, outline: Outline, shorten: (id: string) => string): Label {
  return {
    text: `${WHO[step.kind]} ${step.text}`,
    details: [...priceOf([step]), shorten(step.id)],
    mark: step === outline.active ? '◀ active' : '',
  };
}

const WHO: Record<OutlineStep['kind'], string> = {
  prompt: 'you:',
  answer: 'agent:',
  summary: '(compacted)',
  note: '(note)',
};

/** Its cost; where that is unknown, its token usage. */
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

function fitted({ text, details, mark }: Label, room: number, paint: Paint): string {
  const tail = details.map((fact) => ` · ${fact}`).join('');
  const end = mark === '' ? '' : ` ${mark}`;
  const words = firstWords(text, Math.max(LEAST_WORDS, room - displayWidth(tail) - displayWidth(end)));
  return `${words || '(no text)'}${paint.dim(tail)}${paint.green(end)}`;
}

const LEAST = 8;

/** Cuts ids to prefixes of one length that are still unique. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let length = LEAST;
  const longest = Math.max(LEAST, ...ids.map((id) => id.length));
  while (length < longest && new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return (id) => id.slice(0, length);
}
