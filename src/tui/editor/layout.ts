import { type Attachment, attachmentAt, isMark, labelOf } from './attachments.ts';

/** How the terminal measures text; `src/tui/rows` has it. */
export interface EditorView {
  /** Columns of a row. The cursor may stand behind the last one. */
  readonly columns: number;
  readonly widths: {
    of(text: string): number;
    clusters(text: string): readonly { readonly text: string; readonly width: number }[];
  };
  /** Makes what hides or acts visible. */
  readonly safe: (text: string) => string;
}

export interface EditorRow {
  /** The part of the editor's text that the row shows; the end of a line is in no row. */
  readonly start: number;
  readonly end: number;
  /** As it is shown: labels for attachments, blanks for tabs. */
  readonly text: string;
}

export interface EditorLayout {
  /** At least one. */
  readonly rows: readonly EditorRow[];
  /**
   * The place of the real cursor. `before` is what the row shows before it: where that is not plain ASCII, the cursor is
   * placed by writing it again, and the column is only an estimate.
   */
  readonly caret: { readonly row: number; readonly column: number; readonly before: string };
}

/** The text that is laid out. */
export interface LaidOutText {
  readonly text: string;
  readonly caret: number;
  readonly attachments: readonly Attachment[];
}

/** The rows of the text as seen, broken after blanks and next to wide characters, else where the row ends. */
export function layOut(state: LaidOutText, view: EditorView): EditorLayout {
  const rows: EditorRow[] = [];
  let start = 0;
  for (const line of state.text.split('\n')) {
    for (const [from, to] of breaksOf(line, state, view)) {
      rows.push({ start: start + from, end: start + to, text: shown(line.slice(from, to), state, view) });
    }
    start += line.length + 1;
  }
  const row = rowOf(rows, state.caret);
  const found = rows[row] ?? { start: 0, end: 0, text: '' };
  const before = shown(state.text.slice(found.start, state.caret), state, view);
  return {
    rows,
    caret: { row, column: view.widths.of(before), before },
  };
}

/** A part of a row as it is shown: a selection stands between two others. */
export function shownPart(state: LaidOutText, from: number, to: number, view: EditorView): string {
  return shown(state.text.slice(from, Math.max(from, to)), state, view);
}

/** Where the caret goes by one row; null at the first and the last. */
export function rowMove(
  state: LaidOutText & { readonly column: number | null },
  by: -1 | 1,
  view: EditorView,
): { caret: number; column: number } | null {
  const { rows, caret } = layOut(state, view);
  const column = state.column ?? caret.column;
  const goal = rows[caret.row + by];
  if (!goal) return null;
  const isWrapped = rows[caret.row + by + 1]?.start === goal.end;
  let at = goal.start;
  let used = 0;
  for (const cluster of clustersOf(state.text.slice(goal.start, goal.end), state, view)) {
    const next = at + cluster.length;
    if (used + cluster.width > column || (isWrapped && next === goal.end)) break;
    used += cluster.width;
    at = next;
  }
  return { caret: at, column };
}

/** The last row that begins at or before the caret: at a break, the caret is where the next character comes. */
function rowOf(rows: readonly EditorRow[], caret: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.start ?? 0) <= caret) low = middle;
    else high = middle - 1;
  }
  return low;
}

const PLAIN = /^[\x20-\x7e]*$/;

/** The rows of one line, as ranges in it. */
function breaksOf(line: string, state: LaidOutText, view: EditorView): [from: number, to: number][] {
  const columns = Math.max(1, view.columns);
  if (PLAIN.test(line)) return plainBreaks(line, columns);
  const rows: [number, number][] = [];
  let start = 0;
  let used = 0;
  /** Where the row may be broken, and what it takes up to there. */
  let chance = { at: 0, used: 0 };
  let at = 0;
  for (const { length, width, isBlank } of clustersOf(line, state, view)) {
    if (width > 1 && !isBlank) chance = { at, used };
    while (used + width > columns && at > start) {
      const to = chance.at > start ? chance : { at, used };
      rows.push([start, to.at]);
      start = to.at;
      used -= to.used;
    }
    at += length;
    used += width;
    if (isBlank || width > 1) chance = { at, used };
  }
  rows.push([start, at]);
  return rows;
}

/** The same for plain text, without looking at each character: a key in a long draft costs no more than in a short one. */
function plainBreaks(line: string, columns: number): [from: number, to: number][] {
  const rows: [number, number][] = [];
  let start = 0;
  while (line.length - start > columns) {
    const blank = line.lastIndexOf(' ', start + columns - 1);
    const end = blank >= start ? blank + 1 : start + columns;
    rows.push([start, end]);
    start = end;
  }
  return [...rows, [start, line.length]];
}

/** Characters of one code unit that never join a neighbour: Latin, Greek, Cyrillic, kana, Han, Hangul syllables. */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0400-\u0482\u048a-\u04ff\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*$/;

/** Widths of single characters, by the terminal that has them. */
const known = new WeakMap<EditorView['widths'], Map<string, number>>();

function widthsOf(widths: EditorView['widths']): Map<string, number> {
  const found = known.get(widths) ?? new Map<string, number>();
  known.set(widths, found);
  return found;
}

interface Cluster {
  /** In the text of the editor. */
  readonly length: number;
  /** As it is shown. */
  readonly text: string;
  readonly width: number;
  readonly isBlank: boolean;
}

function* clustersOf(line: string, { attachments }: LaidOutText, view: EditorView): Generator<Cluster, void> {
  if (view.columns > 1 && SIMPLE.test(line)) {
    const widths = widthsOf(view.widths);
    for (let at = 0; at < line.length; at++) {
      const text = line[at] ?? '';
      const width = widths.get(text) ?? view.widths.of(text);
      widths.set(text, width);
      yield { text, width, length: 1, isBlank: text === ' ' };
    }
    return;
  }
  for (const { text, width } of view.widths.clusters(line)) {
    const shownAs = shownCluster(text, attachments, view);
    const fits = fitted(shownAs, shownAs === text ? width : view.widths.of(shownAs), view);
    yield { ...fits, length: text.length, isBlank: text === ' ' || text === '\t' };
  }
}

function shown(text: string, state: LaidOutText, view: EditorView): string {
  const isSame = PLAIN.test(text) || (view.columns > 1 && SIMPLE.test(text));
  return isSame ? text : Array.from(clustersOf(text, state, view), (cluster) => cluster.text).join('');
}

function shownCluster(cluster: string, attachments: readonly Attachment[], view: EditorView): string {
  if (cluster === '\t') return '    ';
  if (PLAIN.test(cluster)) return cluster;
  if (!isMark(cluster)) return view.safe(cluster);
  const found = attachmentAt(cluster, attachments);
  return found ? labelOf(found) : '';
}

/** In a tiny window, one character may be wider than a row. */
function fitted(text: string, width: number, { columns }: EditorView): { text: string; width: number } {
  if (width <= Math.max(1, columns)) return { text, width };
  const cut = PLAIN.test(text) ? text.slice(0, Math.max(1, columns)) : '?';
  return { text: cut, width: cut.length };
}
