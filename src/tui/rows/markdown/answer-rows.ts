import type { CodeColours, LineColours } from '../code/code-colours.ts';
import { EMPTY_ROW, type Row, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { expandTabs, safeText } from '../safe-text.ts';
import { blockRows, itemRows, plainRows, tableRows } from './block-rows.ts';
import { BlockSplitter, type Piece } from './block-splitter.ts';

/**
 * Loaded together: a screen that shows answers shows code. The door hands on the whole module.
 * @public
 */
export { codeColours } from '../code/highlighter.ts';

/** A line without an end is cut here: nobody waits for it. */
const LONGEST_LINE = 8192;

export interface AnswerRowsOptions {
  context: RowContext;
  /** The colours of code: null as long as they are not loaded, which `wantsColours` asks for. */
  colours: () => CodeColours | null;
  /** The terminal breaks the lines of finished prose. The part in progress always fits. */
  leavesProse?: boolean;
}

/**
 * An answer in Markdown while the model writes it. Each finished block becomes rows once; only the open block is read
 * again. The rows of an answer do not depend on the pieces in which it arrives.
 */
export class AnswerRows {
  readonly #context: RowContext;
  readonly #colours: () => CodeColours | null;
  readonly #leavesProse: boolean;
  readonly #splitter = new BlockSplitter();
  /** Text that no line end has completed, or that waits for the colours. */
  #rest = '';
  #code: LineColours | null = null;
  /** The language of the code that waits. */
  #waitsFor: string | null = null;

  constructor({ context, colours, leavesProse = false }: AnswerRowsOptions) {
    this.#context = context;
    this.#colours = colours;
    this.#leavesProse = leavesProse;
  }

  /** Code has begun whose colours are not loaded. Its lines wait; `push('')` continues when they are loaded. */
  get wantsColours(): boolean {
    return this.#waitsFor !== null;
  }

  /** Takes a piece, and returns the rows that are finished now. */
  push(text: string): Row[] {
    this.#rest += text;
    if (this.#waitsFor !== null) {
      const colours = this.#colours();
      if (colours === null) return [];
      this.#code = colours.begin(this.#waitsFor);
      this.#waitsFor = null;
    }
    const rows: Row[] = [];
    while (this.#waitsFor === null) {
      const line = this.#nextLine();
      if (line === null) break;
      for (const piece of this.#splitter.take(clean(line.text), line.isCut)) rows.push(...this.#finish(piece));
    }
    return rows;
  }

  /** The rows of the part that is not finished. */
  tail(): Row[] {
    if (this.#waitsFor !== null) return plainRows(clean(this.#rest), this.#context);
    const rows: Row[] = [];
    let code = this.#code;
    for (const piece of this.#splitter.peek(clean(this.#rest))) {
      if (piece.kind === 'code-begin') code = null;
      rows.push(...this.#gap(piece), ...this.#rowsOf(piece, code, 'peek'));
    }
    return rows;
  }

  /** The answer is complete: the rest of its rows. Code that still waits has no colours. */
  end(): Row[] {
    const rows: Row[] = [];
    for (let line = this.#nextLine(); line !== null; line = this.#nextLine()) {
      for (const piece of this.#splitter.take(clean(line.text), line.isCut)) rows.push(...this.#finish(piece));
    }
    const last = this.#rest === '' ? [] : this.#splitter.take(clean(this.#rest));
    this.#rest = '';
    for (const piece of [...last, ...this.#splitter.end()]) rows.push(...this.#finish(piece));
    this.#waitsFor = null;
    return rows;
  }

  #nextLine(): { text: string; isCut: boolean } | null {
    const end = this.#rest.indexOf('\n');
    if (end >= 0 && end < LONGEST_LINE) {
      const text = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      return { text, isCut: false };
    }
    if (this.#rest.length < LONGEST_LINE) return null;
    const isInPair = /[\ud800-\udbff]/.test(this.#rest[LONGEST_LINE - 1] ?? '');
    const cut = isInPair ? LONGEST_LINE - 1 : LONGEST_LINE;
    const text = this.#rest.slice(0, cut);
    this.#rest = this.#rest.slice(cut);
    return { text, isCut: true };
  }

  #finish(piece: Piece): Row[] {
    if (piece.kind === 'code-begin') {
      const colours = this.#colours();
      this.#waitsFor = colours === null && piece.language !== '' ? piece.language : null;
      this.#code = colours?.begin(piece.language) ?? null;
    }
    const rows = [...this.#gap(piece), ...this.#rowsOf(piece, this.#code, 'line')];
    if (piece.kind === 'code-end') this.#code = null;
    return rows;
  }

  #gap({ hasGap }: Piece): Row[] {
    return hasGap ? [EMPTY_ROW] : [];
  }

  #rowsOf(piece: Piece, code: LineColours | null, read: 'line' | 'peek'): Row[] {
    const { palette } = this.#context;
    const isLeft = this.#leavesProse && read === 'line';
    const context = isLeft ? { ...this.#context, proseWidth: Number.POSITIVE_INFINITY } : this.#context;
    switch (piece.kind) {
      case 'text':
        return blockRows(piece.text, context);
      case 'item':
        return itemRows(piece.text, piece.indent, piece.isContinued, context);
      case 'plain':
        return plainRows(piece.text, context);
      case 'table-rows':
        return tableRows(piece.head, piece.text, this.#context);
      case 'code-begin':
        return piece.language === '' ? [] : [toRow([{ text: piece.language, styles: ['dim'] }], palette)];
      case 'code':
        return [toRow(code?.[read](piece.line) ?? [{ text: piece.line, styles: ['code'] }], palette)];
      case 'code-end':
        return [];
      default:
        throw piece satisfies never;
    }
  }
}

function clean(line: string): string {
  return expandTabs(safeText(line));
}
