/** A part of an answer that is rendered by itself, once. */
export type Piece = { hasGap: boolean } /** Any Markdown but lists and code. */ & (
  | { kind: 'text'; text: string }
  /** An item of a list; `indent` is where its text begins. A continued one has no mark: code stood before it. */
  | { kind: 'item'; text: string; indent: number; isContinued: boolean }
  /** Shown as it is. */
  | { kind: 'plain'; text: string }
  /** Rows of a table whose head was rendered with its first rows. */
  | { kind: 'table-rows'; head: string; text: string }
  | { kind: 'code-begin'; language: string }
  | { kind: 'code'; line: string }
  | { kind: 'code-end' }
);

/** An open block of more than this is not worth waiting for. */
const LONGEST_BLOCK = 8192;
const ROWS_OF_A_TABLE = 100;

const FENCE = /^( *)(`{3,}|~{3,}) *([^\s`]*)[^`]*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +|$)/;
const HEADING = /^ {0,3}#{1,6}(?: |$)/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const DELIMITERS = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

interface Fence {
  mark: string;
  /** Blanks before the fence, which its lines have, too. */
  strip: number;
  /** The item that the code is in. */
  item: number | null;
}

/**
 * Cuts Markdown into pieces, line by line. What it decides depends on complete lines only, so an answer has the same
 * pieces however it arrives. Its state is at most one open block.
 */
export class BlockSplitter {
  #state: 'none' | 'text' | 'table' | 'item' | 'indented' = 'none';
  #lines: string[] = [];
  #length = 0;
  #fence: Fence | null = null;
  #item = { indent: 0, isContinued: false };
  #tableHead = '';
  #tableRows = 0;
  /** A blank line stood before what comes next. */
  #isGap = false;
  #hasBegun = false;

  /** One line without its end. `isCut`: it was too long to wait for its end. */
  take(line: string, isCut = false): Piece[] {
    const pieces = this.#fence ? this.#takeCode(line) : isCut ? this.#takeLong(line) : this.#takeLine(line);
    if (this.#length > LONGEST_BLOCK) pieces.push(...this.#giveUp());
    return pieces;
  }

  end(): Piece[] {
    if (this.#fence) return this.#takeCode(this.#fence.mark);
    return this.#flush();
  }

  /** What there would be if the answer ended with this line; nothing changes. */
  peek(line: string): Piece[] {
    const copy = new BlockSplitter();
    copy.#state = this.#state;
    copy.#lines = [...this.#lines];
    copy.#fence = this.#fence;
    copy.#item = this.#item;
    copy.#tableHead = this.#tableHead;
    copy.#tableRows = this.#tableRows;
    copy.#isGap = this.#isGap;
    copy.#hasBegun = this.#hasBegun;
    return [...(line === '' ? [] : copy.take(line)), ...copy.end()];
  }

  #takeCode(line: string): Piece[] {
    const { mark, strip, item } = this.#fence as Fence;
    const text = line.trim();
    const isEnd = text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
    if (!isEnd) return [{ kind: 'code', line: withoutIndent(line, strip), hasGap: false }];
    this.#fence = null;
    this.#state = item === null ? 'none' : 'item';
    if (item !== null) this.#item = { indent: item, isContinued: true };
    return [{ kind: 'code-end', hasGap: false }];
  }

  #takeLine(line: string): Piece[] {
    if (line.trim() === '') return this.#takeBlank();
    if (this.#state === 'item') return this.#takeInItem(line);
    if (this.#state === 'indented') {
      if (indentOf(line) >= 4) return [this.#emit({ kind: 'code', line: withoutIndent(line, 4), hasGap: this.#isGap })];
      this.#state = 'none';
      return [{ kind: 'code-end', hasGap: false }, ...this.#takeLine(line)];
    }
    if (this.#state === 'table') {
      if (line.includes('|')) return this.#addRow(line);
      return [...this.#flush(), ...this.#takeLine(line)];
    }
    return this.#takeTop(line);
  }

  #takeTop(line: string): Piece[] {
    const fence = FENCE.exec(line);
    if (fence && indentOf(line) < 4) return this.#beginFence(fence, null);
    if (HEADING.test(line)) return [...this.#flush(), this.#emit({ kind: 'text', text: line, hasGap: this.#isGap })];
    const isOpen = this.#state === 'text';
    if (!isOpen && indentOf(line) >= 4) {
      this.#state = 'indented';
      const begin = this.#emit({ kind: 'code-begin', language: '', hasGap: this.#isGap });
      return [begin, { kind: 'code', line: withoutIndent(line, 4), hasGap: false }];
    }
    if (ITEM.test(line) && indentOf(line) < 4 && !RULE.test(line)) return [...this.#flush(), ...this.#beginItem(line)];
    if (isOpen && this.#lines.length === 1 && this.#lines[0]?.includes('|') && DELIMITERS.test(line)) {
      this.#state = 'table';
      this.#tableHead = `${this.#lines[0]}\n${line}`;
      this.#tableRows = 0;
      this.#add(line);
      return [];
    }
    this.#state = 'text';
    this.#add(line);
    return [];
  }

  #takeBlank(): Piece[] {
    if (this.#state === 'item') {
      if (this.#lines.length > 0) this.#add('');
      this.#isGap ||= this.#lines.length === 0;
      return [];
    }
    if (this.#state === 'indented') {
      this.#isGap = true;
      return [];
    }
    const pieces = this.#flush();
    this.#isGap = this.#hasBegun;
    return pieces;
  }

  /** Lines that are indented belong to the item, and so does a line that continues its paragraph. */
  #takeInItem(line: string): Piece[] {
    const indent = indentOf(line);
    const fence = FENCE.exec(line);
    const isInside = indent >= this.#item.indent;
    if (fence && isInside) return this.#beginFence(fence, this.#item.indent);
    const item = ITEM.exec(line);
    if (item && indent < this.#item.indent && !RULE.test(line)) return [...this.#flush(), ...this.#beginItem(line)];
    const isBehindBlank = this.#lines.length === 0 || this.#lines.at(-1) === '';
    if (!isInside && (isBehindBlank || fence || HEADING.test(line) || RULE.test(line))) {
      return [...this.#flush(), ...this.#takeLine(line)];
    }
    this.#add(line);
    return [];
  }

  #beginItem(line: string): Piece[] {
    const [, before = '', mark = '', blanks = ''] = ITEM.exec(line) ?? [];
    const gap = blanks.length > 4 || blanks === '' ? 1 : blanks.length;
    this.#state = 'item';
    this.#item = { indent: before.length + mark.length + gap, isContinued: false };
    this.#add(line);
    return [];
  }

  #beginFence([, blanks = '', mark = '', language = '']: RegExpExecArray, item: number | null): Piece[] {
    const pieces = this.#flush();
    this.#fence = { mark, strip: blanks.length, item };
    return [...pieces, this.#emit({ kind: 'code-begin', language, hasGap: this.#isGap })];
  }

  #addRow(line: string): Piece[] {
    this.#add(line);
    if (++this.#tableRows < ROWS_OF_A_TABLE) return [];
    const head = this.#tableHead;
    const pieces = this.#flush();
    this.#state = 'table';
    this.#tableHead = head;
    this.#tableRows = 0;
    return pieces;
  }

  /** A line that is longer than any block: it can only be text. */
  #takeLong(line: string): Piece[] {
    return [...this.#flush(), this.#emit({ kind: 'plain', text: line, hasGap: this.#isGap })];
  }

  #giveUp(): Piece[] {
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#length = 0;
    this.#state = 'none';
    return [this.#emit({ kind: 'plain', text, hasGap: this.#isGap })];
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  #flush(): Piece[] {
    const state = this.#state;
    const lines = this.#lines;
    this.#state = 'none';
    this.#lines = [];
    this.#length = 0;
    if (state === 'indented') return [{ kind: 'code-end', hasGap: false }];
    let isGapBehind = false;
    for (; lines.at(-1) === ''; lines.pop()) isGapBehind = true;
    if (lines.length === 0) return [];
    const text = lines.join('\n');
    const hasGap = this.#isGap;
    const piece = this.#emit(this.#pieceOf(state, text, hasGap));
    this.#isGap = isGapBehind;
    return [piece];
  }

  #pieceOf(state: string, text: string, hasGap: boolean): Piece {
    if (state === 'item') return { kind: 'item', text, ...this.#item, hasGap };
    const isContinued = state === 'table' && !text.startsWith(this.#tableHead);
    if (isContinued) return { kind: 'table-rows', head: this.#tableHead, text, hasGap };
    return { kind: 'text', text, hasGap };
  }

  #emit(piece: Piece): Piece {
    this.#isGap = false;
    this.#hasBegun = true;
    return piece;
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withoutIndent(line: string, most: number): string {
  return line.slice(Math.min(indentOf(line), most));
}
