import { fuzzyQuery, fuzzyScore } from '../../util/text/fuzzy-match.ts';
import type { Context } from '../focus/default-keys.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Row, type Span, toRow } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Size } from '../screen/screen.ts';
import type { Picker, PickerInput } from '../stage/picker.ts';

/** What a list is about, and what is done with its items. */
export interface ListParts<Item> {
  readonly context?: Context;
  readonly title: (count: number) => string;
  readonly hint: string;
  /** The screen's; also for the width. */
  readonly screen: () => BlockContext;
  /** What stands in the row of an item, behind the mark. */
  spans(item: Item): readonly Span[];
  /** What the typed words are looked for in. */
  words(item: Item): string;
  choose(item: Item): void;
  /** Another key; true: it was used. `item` is the highlighted one. */
  key?(key: string, item: Item | null): boolean;
  /** Text before any other text; true: it was used, and filters nothing. */
  firstText?(text: string): boolean;
  /** An action of the list's own context; true: it was used. */
  act?(action: string, item: Item | null): boolean;
  /** The rows below the list, such as a preview of the highlighted item; at most so many. */
  below?(item: Item | null, most: number): readonly Row[];
  /** What stands where there is nothing to show. */
  readonly empty: string;
  closed?(): void;
}

/** A list over the editor: typed words filter it, arrows and pages move in it, Enter chooses. */
export class ListPicker<Item> implements Picker {
  readonly context: Context;
  readonly #parts: ListParts<Item>;
  #items: readonly Item[] = [];
  #shown: readonly Item[] = [];
  #typed = '';
  #selected = 0;
  #top = 0;
  #height = 1;

  constructor(parts: ListParts<Item>, items: readonly Item[] = []) {
    this.context = parts.context ?? 'Select';
    this.#parts = parts;
    this.use(items);
  }

  get hint(): string {
    return this.#parts.hint;
  }

  get selected(): Item | null {
    return this.#shown[this.#selected] ?? null;
  }

  /** Other items, such as more of them; the highlighted one stays where it is in both. `at` highlights another one. */
  use(items: readonly Item[], at?: Item): void {
    const before = at ?? this.selected;
    this.#items = items;
    this.#filter();
    const index = before === null ? -1 : this.#shown.indexOf(before);
    if (index >= 0) this.#selected = index;
  }

  rows({ rows }: Size): RowsWithCaret {
    const context = this.#parts.screen();
    const below = this.#parts.below?.(this.selected, Math.max(0, Math.floor(rows / 2) - 1)) ?? [];
    this.#height = Math.max(1, rows - 1 - below.length);
    this.#top = Math.min(Math.max(this.#top, this.#selected - this.#height + 1), this.#selected);
    const head = this.#headSpans();
    const shown = this.#shown.slice(this.#top, this.#top + this.#height);
    const list = shown.map((item, at) => this.#itemRow(item, this.#top + at === this.#selected, context));
    const none = headRow(context, [{ text: `  ${this.#parts.empty}`, styles: ['dim'] }]);
    const all = [headRow(context, head), ...(list.length > 0 ? list : [none]), ...below];
    return { rows: all.slice(0, Math.max(1, rows)), caret: { row: 0, before: headRow(context, head.slice(0, 2)) } };
  }

  take({ action, key, text }: PickerInput): void {
    if (text !== undefined && this.#typed === '' && this.#parts.firstText?.(text) === true) return;
    if (text !== undefined) this.#type(this.#typed + text);
    else if (key !== undefined && this.#parts.key?.(key, this.selected) === true) return;
    else if (action !== null && this.#parts.act?.(action, this.selected) === true) return;
    else if (key === 'backspace') this.#type([...this.#typed].slice(0, -1).join(''));
    else if (key === 'ctrl+u' || key === 'ctrl+w') this.#type('');
    else if (action !== null) this.#act(action);
  }

  closed(): void {
    this.#parts.closed?.();
  }

  #act(action: string): void {
    const last = Math.max(0, this.#shown.length - 1);
    const moves: Readonly<Record<string, number>> = {
      'select:next': this.#selected === last ? 0 : this.#selected + 1,
      'select:previous': this.#selected === 0 ? last : this.#selected - 1,
      'select:pageDown': Math.min(last, this.#selected + this.#height),
      'select:pageUp': Math.max(0, this.#selected - this.#height),
      'select:first': 0,
      'select:last': last,
    };
    if (action === 'select:accept' && this.selected !== null) this.#parts.choose(this.selected);
    else this.#selected = moves[action] ?? this.#selected;
  }

  #type(text: string): void {
    this.#typed = text;
    this.#selected = 0;
    this.#filter();
  }

  /** Each word has to fit; the best fits first, those that fit alike in the order of the list. */
  #filter(): void {
    const words = this.#typed.split(' ').filter((word) => word !== '');
    const queries = words.map(fuzzyQuery);
    if (queries.length === 0) this.#shown = this.#items;
    else {
      const scored = this.#items.flatMap((item) => {
        const text = this.#parts.words(item);
        const scores = queries.map((query) => fuzzyScore(query, text));
        return scores.some((score) => score < 0) ? [] : [{ item, score: scores.reduce((sum, each) => sum + each, 0) }];
      });
      this.#shown = scored.sort((a, b) => b.score - a.score).map(({ item }) => item);
    }
    this.#selected = Math.min(this.#selected, Math.max(0, this.#shown.length - 1));
  }

  #headSpans(): Span[] {
    const all = this.#items.length;
    const count = this.#shown.length === all ? `${all}` : `${this.#shown.length} of ${all}`;
    const typed = this.#typed === '' ? '' : ` ${safeLine(this.#typed)}`;
    return [
      { text: safeLine(this.#parts.title(all)), styles: ['strong'] },
      { text: `${typed} ` },
      { text: `\u00b7 ${count}`, styles: ['dim'] },
    ];
  }

  #itemRow(item: Item, isSelected: boolean, context: BlockContext): Row {
    const spans = this.#parts.spans(item);
    const [first, ...rest] = spans;
    const styles = isSelected ? (['strong'] as const) : (first?.styles ?? []);
    const mark = { text: isSelected ? '\u276f ' : '  ', styles: ['accent'] as const };
    return headRow(context, [mark, ...(first ? [{ text: safeLine(first.text), styles }] : []), ...rest.map(safeSpan)]);
  }
}

function safeSpan(span: Span): Span {
  return { ...span, text: safeLine(span.text) };
}

/** A row for what stands below a list. */
export function belowRow(text: string, context: BlockContext): Row {
  return headRow(context, [{ text: `    ${safeLine(text)}`, styles: ['dim'] }]);
}

/** A line of text over the editor, such as a new title. */
export class LinePicker implements Picker {
  readonly context = 'Select';
  readonly hint = 'enter takes it \u00b7 esc leaves it';
  readonly #title: string;
  readonly #screen: () => BlockContext;
  readonly #done: (text: string | null) => void;
  #text: string;
  #isDone = false;

  /** `done` gets the text; null: the person has left it. */
  constructor(about: { title: string; text: string; screen: () => BlockContext }, done: (text: string | null) => void) {
    this.#title = about.title;
    this.#text = about.text;
    this.#screen = about.screen;
    this.#done = done;
  }

  rows(): RowsWithCaret {
    const context = this.#screen();
    const row = toRow(
      [{ text: `${safeLine(this.#title)} `, styles: ['strong'] }, { text: safeLine(this.#text) }],
      context.palette,
    );
    return { rows: [row], caret: { row: 0, before: row } };
  }

  take({ action, key, text }: PickerInput): void {
    if (text !== undefined) this.#text += text;
    else if (key === 'backspace') this.#text = [...this.#text].slice(0, -1).join('');
    else if (key === 'ctrl+u') this.#text = '';
    else if (action === 'select:accept') this.#end(this.#text.trim());
  }

  closed(): void {
    this.#end(null);
  }

  #end(text: string | null): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#done(text);
  }
}
