import { isObject, isTexts, type JsonObject, stringField } from '../../util/json.ts';
import { openAddress } from '../../util/process/open-address.ts';
import type { Question } from '../../view/view.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Row } from '../rows/row.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import type { Asking } from './asking.ts';
import { FormField } from './form-field.ts';
import { callInShort, headRows } from './head-rows.ts';
import { Menu } from './menu.ts';
import { textRows } from './shown-text.ts';

/** An MCP server asks for something: a form, or an address that the person opens. */
export class ElicitationDialog implements Dialog {
  readonly #question: Question;
  readonly #asking: Asking;
  readonly #fields: readonly FormField[];
  readonly #menu: Menu<{ id: string; text: string }>;
  /** The field with the cursor; behind the last one: the answers. */
  #at = 0;
  #isAnswered = false;

  constructor(question: Question, asking: Asking) {
    this.#question = question;
    this.#asking = asking;
    this.#fields = this.#url === null ? fieldsOf(question.request) : [];
    this.#menu = new Menu([
      { id: 'accept', text: this.#url === null ? 'Send' : 'Open it in the browser' },
      { id: 'decline', text: 'Decline' },
    ]);
    // Nothing is opened by a key that was meant for something else.
    if (this.#url !== null) this.#menu.select('decline');
  }

  get takesText(): boolean {
    return this.#current?.takesText ?? false;
  }

  get hint(): string {
    if (!this.#current) return 'enter chooses \u00b7 esc: cancel';
    return '\u2191 \u2193: fields \u00b7 space, \u2190 \u2192: choose \u00b7 enter: next \u00b7 esc: cancel';
  }

  rows(_size: Size): RowsWithCaret {
    const { stage, position } = this.#asking;
    const { context } = stage;
    const { request } = this.#question;
    const rows: Row[] = [...headRows(this.#question, position, context)];
    for (const name of ['title', 'message', 'description']) {
      const text = stringField(request, name);
      if (text !== undefined && text !== '') rows.push(...textRows(text, { context }));
    }
    if (this.#url !== null) rows.push(...textRows(`address: ${this.#url}`, { context, style: 'code' }));
    let caret: RowsWithCaret['caret'] | null = null;
    for (const [index, field] of this.#fields.entries()) {
      const shown = field.rows(index === this.#at, context);
      if (index === this.#at) caret = { row: rows.length + shown.caret.row, before: shown.caret.before };
      rows.push(...shown.rows);
    }
    const menu = this.#menu.rows(context, { isActive: !this.#current });
    caret ??= { row: rows.length + menu.caret.row, before: menu.caret.before };
    return { rows: [...rows, ...menu.rows], caret };
  }

  take(input: DialogInput): void {
    if (this.#isAnswered) return;
    const { action, edit } = input;
    const current = this.#current;
    if (action === 'confirm:no') this.#answer({ action: 'cancel' }, '\u2717 cancelled');
    else if (!current) this.#takeMenuKey(input);
    else if (edit) current.edit(edit);
    else if (action === 'confirm:yes' || action === 'confirm:next' || action === 'confirm:nextField') this.#at++;
    else if (action === 'confirm:previous') this.#at = Math.max(0, this.#at - 1);
    else if (action === 'tabs:next' || action === 'tabs:previous') current.move(action === 'tabs:next' ? 1 : -1);
    else if (action === 'confirm:toggle') current.toggle();
  }

  closed(): void {
    this.#isAnswered = true;
  }

  get #current(): FormField | undefined {
    return this.#fields[this.#at];
  }

  get #url(): string | null {
    const { mode, url } = this.#question.request;
    return mode === 'url' && typeof url === 'string' ? url : null;
  }

  #takeMenuKey(input: DialogInput): void {
    if (input.action === 'confirm:previous' && this.#menu.selected?.id === 'accept' && this.#fields.length > 0) {
      this.#at = this.#fields.length - 1;
      return;
    }
    const taken = this.#menu.take(input);
    if (taken?.item.id === 'decline') this.#answer({ action: 'decline' }, '\u2717 declined');
    else if (taken && this.#url !== null) {
      // A digit opens nothing.
      if (taken.by === 'enter') this.#open(this.#url);
      else this.#asking.stage.notify('Arrow and enter open the address.');
    } else if (taken) this.#send();
  }

  #open(url: string): void {
    if (!/^https?:\/\//i.test(url)) {
      this.#asking.stage.notify('Only http and https addresses are opened.');
      return;
    }
    openAddress(url);
    this.#answer({ action: 'accept' }, '\u2713 opened');
  }

  #send(): void {
    const wrong = this.#fields.findIndex(({ fault }) => fault !== null);
    const fault = this.#fields[wrong];
    if (fault) {
      this.#at = wrong;
      this.#asking.stage.notify(`${fault.name}: ${fault.fault}`);
      return;
    }
    const content = Object.fromEntries(
      this.#fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    );
    this.#answer({ action: 'accept', content }, '\u2713 sent');
  }

  #answer(body: JsonObject, text: string): void {
    this.#isAnswered = true;
    this.#asking.answer(body, {
      text: `${text} \u00b7 ${callInShort(this.#question)}`,
      style: body.action === 'accept' ? 'good' : 'warning',
    });
  }
}

function fieldsOf({ requested_schema: schema, property_order: order }: JsonObject): FormField[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required = isObject(schema) && isTexts(schema.required) ? schema.required : [];
  const names = Object.keys(properties);
  const ordered = isTexts(order) ? [...new Set([...order.filter((name) => names.includes(name)), ...names])] : names;
  return ordered.map((name) => {
    const field = properties[name];
    return new FormField(name, isObject(field) ? field : {}, { isRequired: required.includes(name) });
  });
}
