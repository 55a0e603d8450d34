import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { DialogInput } from '../stage/dialog.ts';
import { Menu, type MenuItem } from './menu.ts';
import { span, visible, visibleLines } from './shown-text.ts';
import { TextField } from './text-field.ts';

interface Option extends MenuItem {
  /** As the model wrote it; null for an answer in own words. */
  readonly label: string | null;
  readonly preview: string;
}

/** One question of AskUserQuestion, and what was picked. */
export class AskedQuestion {
  readonly text: string;
  readonly title: string;
  readonly isMultiple: boolean;
  readonly #options: readonly Option[];
  readonly #menu: Menu<Option>;
  readonly #picked = new Set<string>();
  #own = '';
  #field: TextField | null = null;

  constructor(question: JsonObject) {
    this.text = stringField(question, 'question') ?? '';
    this.title = visible(stringField(question, 'header') ?? this.text);
    this.isMultiple = question.multiSelect === true;
    const options = Array.isArray(question.options) ? question.options.filter(isObject) : [];
    this.#options = [...options.map(optionOf), OWN];
    this.#menu = new Menu(this.#shown());
  }

  get shownText(): string {
    return visible(this.text);
  }

  get takesText(): boolean {
    return this.#field !== null;
  }

  /** The labels of what was picked, or own words; empty as long as there is no answer. */
  get answer(): string {
    const labels = this.#options.flatMap(({ id, label }) => (label !== null && this.#picked.has(id) ? [label] : []));
    return [...labels, ...(this.#own === '' ? [] : [this.#own])].join(', ');
  }

  get shownAnswer(): string {
    return visible(this.answer);
  }

  /** What the selected option would be like. */
  get previewRows(): string[] {
    const id = this.#menu.selected?.id;
    const preview = this.#options.find((option) => option.id === id)?.preview ?? '';
    return preview === '' ? [] : visibleLines(preview);
  }

  /** `done`: the next question. */
  take(input: DialogInput): 'done' | null {
    if (input.action === 'confirm:toggle' && this.isMultiple) {
      this.#toggle(this.#menu.selected);
      return null;
    }
    const taken = this.#menu.take(input);
    if (!taken) return null;
    if (taken.item.label === null) {
      this.#field = new TextField(this.#own);
      return null;
    }
    if (!this.isMultiple) {
      this.#picked.clear();
      this.#own = '';
      this.#picked.add(taken.item.id);
      this.#draw();
      return 'done';
    }
    if (taken.by === 'enter') return 'done';
    this.#toggle(taken.item);
    return null;
  }

  takeText({ action, edit }: DialogInput): 'done' | null {
    if (edit) this.#field?.edit(edit);
    else if (action === 'confirm:no') this.#field = null;
    else if (action === 'confirm:yes') {
      this.#own = this.#field?.text.trim() ?? '';
      this.#field = null;
      if (!this.isMultiple && this.#own !== '') this.#picked.clear();
      this.#draw();
      return this.#own === '' || this.isMultiple ? null : 'done';
    }
    return null;
  }

  rows(context: RowContext): RowsWithCaret {
    const { rows, caret } = this.#menu.rows(context);
    if (!this.#field) return { rows, caret };
    const text = this.#field.rows(span('  in own words: '), context);
    return { rows: [...rows, ...text.rows], caret: { row: rows.length + text.caret.row, before: text.caret.before } };
  }

  #toggle(option: Option | undefined): void {
    if (!option || option.label === null) return;
    if (!this.#picked.delete(option.id)) this.#picked.add(option.id);
    this.#draw();
  }

  #draw(): void {
    this.#menu.set(this.#shown());
  }

  #shown(): Option[] {
    return this.#options.map((option) => {
      const isPicked = option.label === null ? this.#own !== '' : this.#picked.has(option.id);
      const mark = this.isMultiple ? (isPicked ? '[x] ' : '[ ] ') : isPicked ? '\u2713 ' : '';
      const own = option.label === null && this.#own !== '' ? { detail: visible(this.#own) } : {};
      return { ...option, ...own, text: `${mark}${option.text}` };
    });
  }
}

const OWN: Option = { id: 'own', text: 'something else \u2026', label: null, preview: '' };

function optionOf(option: JsonObject, index: number): Option {
  const label = stringField(option, 'label') ?? '';
  const description = visible(stringField(option, 'description') ?? '');
  return {
    ...{ id: `option-${index}`, text: visible(label), label },
    ...(description !== '' && { detail: description }),
    preview: stringField(option, 'preview') ?? '',
  };
}
