import type { Span } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Segment, TreeMessage, Turn } from './branch-tree.ts';

/** One row of the tree that is shown. */
export type TreeRow = { readonly guides: string; readonly stretch: Segment } & (
  | { readonly kind: 'line' }
  | { readonly kind: 'prompt'; readonly turn: Turn }
  | { readonly kind: 'message'; readonly turn: Turn; readonly message: TreeMessage }
);

/** How much of a line is shown: itself, its prompts, all of its messages. */
export type Depth = 0 | 1 | 2;

/** The rows of a tree from top to bottom, with the guides that lead to them. */
export function treeRows(roots: readonly Segment[], depthOf: (stretch: Segment) => Depth): TreeRow[] {
  const rows: TreeRow[] = [];
  type Waiting = { stretch: Segment; before: string; isLast: boolean; isRoot: boolean };
  const several = roots.length > 1;
  const waiting: Waiting[] = roots.map((stretch, at) => {
    return { stretch, before: '', isLast: at === roots.length - 1, isRoot: !several };
  });
  waiting.reverse();
  for (let each = waiting.pop(); each; each = waiting.pop()) {
    const { stretch, before, isLast, isRoot } = each;
    rows.push({ kind: 'line', stretch, guides: isRoot ? '' : `${before}${isLast ? '\u2514\u2500' : '\u251c\u2500'}` });
    const below = isRoot ? '' : `${before}${isLast ? '  ' : '\u2502 '}`;
    const depth = depthOf(stretch);
    const guides = `${below}${stretch.next.length > 0 ? '\u2502 ' : '  '}`;
    for (const turn of depth === 0 ? [] : stretch.turns) {
      rows.push({ kind: 'prompt', stretch, turn, guides });
      for (const message of depth === 2 ? turn.messages : []) {
        rows.push({ kind: 'message', stretch, turn, message, guides });
      }
    }
    const children = stretch.next.map((next, at) => {
      return { stretch: next, before: below, isLast: at === stretch.next.length - 1, isRoot: false };
    });
    waiting.push(...children.reverse());
  }
  return rows;
}

export function textOfTreeRow(row: TreeRow): string {
  if (row.kind === 'message') return row.message.text;
  return row.kind === 'prompt' ? row.turn.text : (row.stretch.turns[0]?.text ?? '');
}

/** What stands in a row: guides, mark, the first words, turns and time. */
export function treeSpans(row: TreeRow, { here, leaf }: { here: Turn | null; leaf: string | null }): Span[] {
  const { guides, stretch } = row;
  const text = safeLine(textOfTreeRow(row)).trim() || '\u2026';
  const dim = (words: string): Span => ({ text: words, styles: ['dim'] });
  const isOn = stretch.isActive;
  const mark: Span = { text: isOn ? '\u25cf ' : '\u25cb ', styles: isOn ? ['good'] : [] };
  if (row.kind === 'message') {
    const at = row.message.uuid === leaf ? ' \u25c0 here' : '';
    return [dim(`${guides}    `), dim(`${row.message.type === 'user' ? '\u2190' : '\u2022'} ${text}`), dim(at)];
  }
  if (row.kind === 'prompt') {
    const at = row.turn === here ? ' \u25c0 here' : '';
    return [
      dim(`${guides}  `),
      { text: '\u276f ' },
      { text },
      dim(clock(row.turn.at)),
      { text: at, styles: ['accent'] },
    ];
  }
  const turns = stretch.turns.length;
  const details = ` \u00b7 ${turns} turn${turns === 1 ? '' : 's'}${clock(stretch.turns[0]?.at ?? 0)}`;
  return [
    dim(guides),
    mark,
    { text },
    dim(details),
    { text: stretch.isHere ? ' \u25c0 here' : '', styles: ['accent'] },
  ];
}

/** The time of day; with the date where it is another day. */
export function clock(at: number, now = Date.now()): string {
  if (at === 0) return '';
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = now - at < 86_400_000 ? '' : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `;
  return ` \u00b7 ${day}${two(date.getHours())}:${two(date.getMinutes())}`;
}
