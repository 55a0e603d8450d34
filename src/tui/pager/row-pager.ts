import { messageOf } from '../../util/message-of.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { cutRow, type Row, toRow } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Size } from '../screen/screen.ts';
import type { Pager } from '../stage/pager.ts';
import { findRow, markedRow, matcherOf } from './find-row.ts';
import type { PagerPart } from './pager-part.ts';
import { isBefore, PartRows, type RowPosition } from './part-rows.ts';

export interface PagerContent {
  readonly title: string;
  readonly parts: readonly PagerPart[];
  /** Asks for the parts before the first one, once it comes near the window. Absent, or empty: there are none. */
  readonly earlier?: () => Promise<readonly PagerPart[]>;
  /** Where it opens; default: at its beginning. */
  readonly at?: 'beginning' | 'end';
}

/** What the pager asks of its surroundings. */
export interface PagerHost {
  context(): BlockContext;
  /** Draws again. */
  changed(): void;
  copy(text: string): Promise<string>;
  /** Prints rows to the scrollback; the pager is left then. */
  print(rows: readonly Row[]): void;
  /** Leaves the pager for the tree. */
  tree(): void;
  closed(): void;
}

const HINT = 'q leaves \u00b7 / searches \u00b7 { } prompts \u00b7 e folds \u00b7 y copies \u00b7 [ prints';

/** Shows a long text with the keys of less. Rows are made as they come into view. */
export class RowPager implements Pager {
  readonly #content: PagerContent;
  readonly #host: PagerHost;
  readonly #rows: PartRows;
  #top: RowPosition = { part: 0, row: 0 };
  /** Stays at the end when something is added there. */
  #isAtEnd: boolean;
  #height = 1;
  #search = { typed: null as string | null, matcher: null as RegExp | null, hit: null as RowPosition | null };
  #note = '';
  #earlier: Promise<boolean> | null = null;
  #hasEarlier: boolean;
  #isClosed = false;

  constructor(content: PagerContent, host: PagerHost) {
    this.#content = content;
    this.#host = host;
    this.#hasEarlier = content.earlier !== undefined;
    this.#isAtEnd = content.at === 'end';
    this.#rows = new PartRows(content.parts, this.#contextNow());
  }

  get takesText(): boolean {
    return this.#search.typed !== null;
  }

  /** More at the end; who is there stays there. */
  append(parts: readonly PagerPart[]): void {
    this.#rows.parts.push(...parts);
    this.#host.changed();
  }

  rows({ rows, columns }: Size): readonly Row[] {
    const context = this.#contextNow();
    this.#rows.use(context);
    this.#height = Math.max(1, rows - 1);
    const last = this.#rows.lastTop(this.#height);
    if (this.#isAtEnd || isBefore(last, this.#top)) this.#top = last;
    if (this.#isNearBeginning()) void this.#askEarlier();
    const { matcher } = this.#search;
    const shown = this.#rows.slice(this.#top, this.#height);
    const marked = matcher ? shown.map((row) => markedRow(row, matcher, context.palette)) : shown;
    const blank = toRow([{ text: '~', styles: ['dim'] }], context.palette);
    const filled = [...marked, ...new Array<Row>(Math.max(0, this.#height - marked.length)).fill(blank)];
    return [...filled, cutRow(this.#statusRow(context), columns, context.widths)].slice(-rows);
  }

  take({ action, key }: { action: string | null; key: string }): void {
    this.#note = '';
    if (this.#search.typed !== null) this.#typeSearch(this.#search.typed, key);
    else if (action === 'transcript:toggleShowAll') this.#rows.turn(null);
    else if (Object.hasOwn(MOVES, key)) this.#move(MOVES[key]?.(this.#height) ?? 0);
    else this.#act(key);
  }

  closed(): void {
    this.#isClosed = true;
    this.#host.closed();
  }

  /** The part at the window's first row, or the one of what was found there. */
  get part(): PagerPart | null {
    const { hit } = this.#search;
    const end = this.#rows.moved(this.#top, this.#height);
    const isSeen = hit && !isBefore(hit, this.#top) && isBefore(hit, end);
    return this.#rows.parts[(isSeen ? hit : this.#top).part] ?? null;
  }

  #act(key: string): void {
    const { parts } = this.#rows;
    if (key === 'g' || key === 'home' || key === '<') void this.#toBeginning();
    else if (key === 'G' || key === 'shift+g' || key === 'end' || key === '>') this.#isAtEnd = true;
    else if (key === '/') this.#search.typed = '';
    else if (key === 'n') void this.#find(1);
    else if (key === 'N' || key === 'shift+n') void this.#find(-1);
    else if (key === '}') this.#goToHead(1);
    else if (key === '{') this.#goToHead(-1);
    else if (key === 'e') this.#fold();
    else if (key === 'y') this.#tell(this.#host.copy(this.part?.source ?? ''));
    else if (key === '[') this.#host.print(parts.flatMap((_, index) => this.#rows.rowsOf(index)));
    else if (key === 't') this.#host.tree();
  }

  #move(by: number): void {
    this.#isAtEnd = false;
    this.#top = this.#rows.moved(this.#top, by);
  }

  #goTo(place: RowPosition): void {
    this.#isAtEnd = false;
    this.#top = place;
  }

  #fold(): void {
    const { part } = this;
    if (!part) return;
    this.#rows.turn(part);
    const index = this.#rows.parts.indexOf(part);
    const rows = this.#rows.rowsOf(index).length;
    if (this.#top.part === index) this.#goTo({ part: index, row: Math.min(this.#top.row, Math.max(0, rows - 1)) });
  }

  #goToHead(by: 1 | -1): void {
    const { parts } = this.#rows;
    const from = this.#top.part + (by < 0 && this.#top.row > 0 ? 1 : 0);
    for (let at = from + by; at >= 0 && at < parts.length; at += by) {
      if (!parts[at]?.isHead) continue;
      this.#goTo({ part: at, row: 0 });
      return;
    }
    if (by < 0) void this.#askEarlier();
    this.#note = by > 0 ? 'no prompt below' : 'no prompt above';
  }

  async #toBeginning(): Promise<void> {
    this.#goTo({ part: 0, row: 0 });
    while (this.#hasEarlier && !this.#isClosed && this.#top.part === 0) {
      this.#note = 'reading what is before \u2026';
      if (!(await this.#askEarlier())) break;
      this.#goTo({ part: 0, row: 0 });
    }
    this.#note = '';
    this.#host.changed();
  }

  #typeSearch(typed: string, key: string): void {
    if (key === 'escape' || (key === 'backspace' && typed === '')) this.#search.typed = null;
    else if (key === 'backspace') this.#search.typed = [...typed].slice(0, -1).join('');
    else if (key === 'space') this.#search.typed = `${typed} `;
    else if (key === 'enter') {
      const matcher = typed === '' ? this.#search.matcher : matcherOf(typed);
      this.#search = { typed: null, matcher, hit: null };
      void this.#find(1, 'here too');
    } else if ([...key].length === 1) this.#search.typed = typed + key;
    else if (/^shift\+.$/u.test(key)) this.#search.typed = typed + key.slice(-1).toUpperCase();
  }

  /** `here too`: the first row of the window may be it. What is not read yet is asked for. */
  async #find(by: 1 | -1, from?: 'here too'): Promise<void> {
    const { matcher, hit } = this.#search;
    if (!matcher) return;
    let start = hit ?? this.#top;
    if (from) start = { part: this.#top.part, row: this.#top.row - 1 };
    let found = findRow(this.#rows, matcher, start, by);
    while (!found && by < 0 && this.#hasEarlier && !this.#isClosed) {
      const before = this.#rows.parts.length;
      if (!(await this.#askEarlier())) break;
      found = findRow(this.#rows, matcher, { part: this.#rows.parts.length - before, row: 0 }, by);
    }
    if (found) {
      this.#search.hit = found;
      const isSeen = !isBefore(found, this.#top) && isBefore(found, this.#rows.moved(this.#top, this.#height));
      if (!isSeen) this.#goTo(this.#rows.moved(found, -Math.floor(this.#height / 3)));
    } else this.#note = by > 0 ? 'not found below: N searches above' : 'not found above';
    this.#host.changed();
  }

  /** Less than two windows stand before what is seen. */
  #isNearBeginning(): boolean {
    if (!this.#hasEarlier || this.#top.part > this.#height * 2) return false;
    const { part, row } = this.#rows.moved(this.#top, -this.#height * 2);
    return part === 0 && row === 0;
  }

  /** True: there was more. What is seen stays where it is. */
  #askEarlier(): Promise<boolean> {
    if (!this.#hasEarlier) return Promise.resolve(false);
    this.#earlier ??= this.#readEarlier().finally(() => {
      this.#earlier = null;
    });
    return this.#earlier;
  }

  async #readEarlier(): Promise<boolean> {
    try {
      const parts = (await this.#content.earlier?.()) ?? [];
      this.#hasEarlier = parts.length > 0;
      this.#rows.parts.unshift(...parts);
      this.#top = { ...this.#top, part: this.#top.part + parts.length };
      const { hit } = this.#search;
      if (hit) this.#search.hit = { ...hit, part: hit.part + parts.length };
    } catch (error) {
      this.#hasEarlier = false;
      this.#note = messageOf(error);
    }
    this.#host.changed();
    return this.#hasEarlier;
  }

  #tell(doing: Promise<string>): void {
    doing.then(
      (text) => this.#say(text),
      (error) => this.#say(messageOf(error)),
    );
  }

  #say(text: string): void {
    this.#note = text;
    this.#host.changed();
  }

  #statusRow(context: BlockContext): Row {
    const { typed } = this.#search;
    if (typed !== null) return toRow([{ text: `/${safeLine(typed)}\u2588` }], context.palette);
    const { parts } = this.#rows;
    const isEnd = !isBefore(this.#top, this.#rows.lastTop(this.#height));
    const share = parts.length === 0 || isEnd ? 100 : Math.floor((this.#top.part / parts.length) * 100);
    const where = isEnd ? 'end' : this.#hasEarlier ? 'more above' : `${share} %`;
    const note = this.#note === '' ? HINT : safeLine(this.#note);
    const text = [safeLine(this.#content.title), where, note].join(' \u00b7 ');
    return toRow([{ text, styles: ['inverse'] }], context.palette);
  }

  /** A copy: the one of the screen changes in place. */
  #contextNow(): BlockContext {
    return { ...this.#host.context() };
  }
}

/** How far keys move, by the height of the window. */
const MOVES: Readonly<Record<string, (height: number) => number>> = {
  ...{ j: () => 1, down: () => 1, enter: () => 1, 'ctrl+n': () => 1 },
  ...{ k: () => -1, up: () => -1, 'ctrl+p': () => -1 },
  ...{ d: (height) => Math.ceil(height / 2), 'ctrl+d': (height) => Math.ceil(height / 2) },
  ...{ u: (height) => -Math.ceil(height / 2), 'ctrl+u': (height) => -Math.ceil(height / 2) },
  ...{ f: (height) => height, pagedown: (height) => height, 'ctrl+f': (height) => height },
  ...{ ' ': (height) => height, space: (height) => height },
  ...{ b: (height) => -height, pageup: (height) => -height, 'ctrl+b': (height) => -height },
};
