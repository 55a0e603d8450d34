import type { Span, Style } from './row.ts';
import type { Widths } from './widths.ts';

export interface WrapOptions {
  /** Most columns of a line. */
  width: number;
  widths: Widths;
  /** Columns that the caller puts before the first line, and before the others. */
  first?: number;
  hang?: number;
}

/**
 * Breaks text at blanks, and between wide characters; a word that is wider than a line is broken where the line ends.
 * Blanks at a break are dropped; those at the beginning of the text stay.
 */
export function wrapSpans(spans: readonly Span[], { width, widths, first = 0, hang = 0 }: WrapOptions): Span[][] {
  const lines = new Lines(width, first, hang, widths);
  for (const span of spans) {
    for (const part of span.text.match(/ +|[^ ]+/g) ?? []) {
      if (part.startsWith(' ')) lines.addBlank(part, span.styles);
      else if (WORD.test(part)) lines.addToWord(part, part.length, span.styles);
      else
        for (const cluster of widths.clusters(part)) {
          if (cluster.width === 2) lines.endWord();
          lines.addToWord(cluster.text, cluster.width, span.styles);
          if (cluster.width === 2) lines.endWord();
        }
    }
  }
  return lines.end();
}

const WORD = /^[\x21-\x7e]+$/;

class Lines {
  readonly #lines: Span[][] = [];
  readonly #width: number;
  readonly #hang: number;
  readonly #widths: Widths;
  #line: Span[] = [];
  #used: number;
  #word: Span[] = [];
  #wordWidth = 0;
  #blank: Span[] = [];
  #blankWidth = 0;

  constructor(width: number, first: number, hang: number, widths: Widths) {
    this.#width = Math.max(width, 1);
    this.#used = Math.min(first, this.#width - 1);
    this.#hang = Math.min(hang, this.#width - 1);
    this.#widths = widths;
  }

  addBlank(text: string, styles: readonly Style[] | undefined): void {
    this.endWord();
    append(this.#blank, text, styles);
    this.#blankWidth += text.length;
  }

  addToWord(text: string, width: number, styles: readonly Style[] | undefined): void {
    append(this.#word, text, styles);
    this.#wordWidth += width;
  }

  endWord(): void {
    if (this.#word.length === 0) return;
    const isFirst = this.#line.length === 0;
    if (!isFirst && this.#used + this.#blankWidth + this.#wordWidth > this.#width) this.#break();
    else if (this.#used + this.#blankWidth < this.#width) this.#takeBlank();
    if (this.#used + this.#wordWidth <= this.#width) this.#take(this.#word, this.#wordWidth);
    else this.#takeInPieces();
    this.#word = [];
    this.#wordWidth = 0;
    this.#dropBlank();
  }

  end(): Span[][] {
    this.endWord();
    if (this.#line.length > 0 || this.#lines.length === 0) this.#lines.push(this.#line);
    return this.#lines;
  }

  #takeInPieces(): void {
    for (const { text, styles } of this.#word) {
      for (const cluster of this.#widths.clusters(text)) {
        if (this.#used + cluster.width > this.#width && this.#line.length > 0) this.#break();
        this.#take([{ text: cluster.text, ...(styles && { styles }) }], cluster.width);
      }
    }
  }

  #take(spans: readonly Span[], width: number): void {
    for (const { text, styles } of spans) append(this.#line, text, styles);
    this.#used += width;
  }

  #takeBlank(): void {
    this.#take(this.#blank, this.#blankWidth);
    this.#dropBlank();
  }

  #dropBlank(): void {
    this.#blank = [];
    this.#blankWidth = 0;
  }

  #break(): void {
    this.#lines.push(this.#line);
    this.#line = [];
    this.#used = this.#hang;
    this.#dropBlank();
  }
}

/** Text of the same styles goes into one span: fewer bytes for the terminal. */
function append(spans: Span[], text: string, styles: readonly Style[] | undefined): void {
  const last = spans.at(-1);
  if (last && last.styles === styles) last.text += text;
  else spans.push({ text, ...(styles && { styles }) });
}
