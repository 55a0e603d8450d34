import { LinePicker } from '../pickers/list-picker.ts';
import { textOfRow } from '../rows/row.ts';
import type { Picker } from '../stage/picker.ts';

/** As many items as a person listens to; words make the list shorter. */
const MOST_ITEMS = 40;
const SELECTED = '\u276f ';

/** A list that is read: its items have numbers, and a line of the person chooses, filters or acts on one of them. */
export class PlainPicker {
  readonly #picker: Picker;
  readonly #size: { columns: number; rows: number };

  constructor(picker: Picker, columns: number) {
    this.#picker = picker;
    this.#size = { columns, rows: 1000 };
  }

  /** What is printed when it opens, and after each line that does not close it. */
  lines(): string[] {
    if (this.#picker instanceof LinePicker) return [...this.#rows(), 'Type the text; an empty line leaves it.'];
    const items = this.#items();
    const rows = this.#rows();
    const shown = rows.flatMap((row, at) => {
      const number = items.indexOf(at) + 1;
      if (number > MOST_ITEMS) return [];
      return [number === 0 ? row : `${number}. ${inWords(row.slice(SELECTED.length).trimStart())}`];
    });
    const more = items.length > MOST_ITEMS ? ['There are more: type words to find them.'] : [];
    return [...shown, ...more, ...this.#help(Math.min(items.length, MOST_ITEMS))];
  }

  #help(count: number): string[] {
    const keys = this.#picker.hint === '' ? '' : ` Keys, as a word before the number: ${this.#picker.hint}.`;
    if (count === 0) return ['Nothing to choose. An empty line leaves the list.'];
    return [`Enter selection (1-${count}); words find; an empty line leaves the list.${keys}`];
  }

  /** Null: the list is to be left. */
  take(line: string): string[] | null {
    const text = line.trim();
    if (text === '' || text === 'esc') return null;
    if (this.#picker instanceof LinePicker) {
      this.#picker.take({ action: null, key: 'ctrl+u' });
      this.#picker.take({ action: null, text });
      this.#picker.take({ action: 'select:accept', key: 'enter' });
      return [];
    }
    const [, key, digits] = /^(?:((?:ctrl|alt|shift)\+\S+|tab|left|right|[a-z/?]) )?(\d+)$/.exec(text) ?? [];
    if (digits !== undefined) return this.#onItem(Number(digits), key);
    if (/^(?:(?:ctrl|alt|shift)\+\S+|tab|left|right)$/.test(text)) this.#press(text);
    else {
      this.#picker.take({ action: null, key: 'ctrl+u' });
      this.#picker.take({ action: null, text });
    }
    return this.lines();
  }

  #onItem(number: number, key: string | undefined): string[] {
    const count = this.#items().length;
    if (number < 1 || number > count) return [`There is no ${number}.`, ...this.#help(count)];
    this.#picker.take({ action: 'select:first', key: 'home' });
    for (let left = number - 1; left > 0; left--) this.#picker.take({ action: 'select:next', key: 'down' });
    if (key === undefined) this.#picker.take({ action: 'select:accept', key: 'enter' });
    else this.#press(key);
    return [];
  }

  /** Where letters are keys, they have actions of their own. */
  #press(key: string): void {
    const action = this.#picker.context === 'Tree' ? (TREE_ACTIONS[key] ?? null) : null;
    this.#picker.take({ action, key });
  }

  #rows(): string[] {
    return this.#picker.rows(this.#size).rows.map(textOfRow);
  }

  /** The rows that can be chosen, found by going from the first one down. */
  #items(): number[] {
    const items: number[] = [];
    this.#picker.take({ action: 'select:first', key: 'home' });
    for (
      let at = this.#selected();
      at > 0 && !items.includes(at) && items.length <= MOST_ITEMS;
      at = this.#selected()
    ) {
      items.push(at);
      this.#picker.take({ action: 'select:next', key: 'down' });
    }
    return items;
  }

  #selected(): number {
    return this.#rows().findIndex((row) => row.startsWith(SELECTED));
  }
}

/** The mark of what is in force. */
const inWords = (item: string) => item.replace(/^\u25cf /u, 'now: ');

const TREE_ACTIONS: Readonly<Record<string, string>> = {
  ...{ e: 'tree:edit', f: 'tree:fork', r: 'tree:files', d: 'tree:diff', l: 'tree:label' },
  ...{ tab: 'tree:filter', right: 'tree:unfold', left: 'tree:fold' },
};
