import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { EditorAction } from '../editor/editor.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Span, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { span, spanRows, visible } from './shown-text.ts';
import { TextField } from './text-field.ts';

/** One field of a form: a text, a number, a switch, or one or several of a list. */
export class FormField {
  readonly name: string;
  readonly #schema: JsonObject;
  readonly #isRequired: boolean;
  readonly #choices: readonly { value: string; title: string }[];
  readonly #field: TextField;
  readonly #picked = new Set<string>();
  #at: number;
  #isOn: boolean | null;

  constructor(name: string, schema: JsonObject, { isRequired }: { isRequired: boolean }) {
    this.name = name;
    this.#schema = schema;
    this.#isRequired = isRequired;
    this.#choices = choicesOf(schema.type === 'array' && isObject(schema.items) ? schema.items : schema);
    const { default: given } = schema;
    this.#at = this.#choices.findIndex(({ value }) => value === given);
    this.#isOn = typeof given === 'boolean' ? given : null;
    if (Array.isArray(given)) for (const each of given) this.#picked.add(String(each));
    this.#field = new TextField(typeof given === 'string' || typeof given === 'number' ? String(given) : '');
  }

  get kind(): 'text' | 'number' | 'switch' | 'choice' | 'several' {
    const { type } = this.#schema;
    if (type === 'boolean') return 'switch';
    if (type === 'array') return 'several';
    if (this.#choices.length > 0) return 'choice';
    return type === 'number' || type === 'integer' ? 'number' : 'text';
  }

  get takesText(): boolean {
    return this.kind === 'text' || this.kind === 'number';
  }

  edit(action: EditorAction): void {
    this.#field.edit(action);
  }

  /** Left and right go through a list; space switches, and picks of several. */
  move(by: -1 | 1): void {
    if (this.kind === 'switch') this.#isOn = !this.#isOn;
    else if (this.#choices.length > 0)
      this.#at = (Math.max(this.#at, by > 0 ? -1 : 0) + by + this.#choices.length) % this.#choices.length;
  }

  toggle(): void {
    if (this.kind === 'switch') this.#isOn = !this.#isOn;
    const chosen = this.#choices[this.#at];
    if (this.kind !== 'several' || !chosen) return;
    if (!this.#picked.delete(chosen.value)) this.#picked.add(chosen.value);
  }

  /** Undefined: left out. */
  get value(): unknown {
    const text = this.#field.text.trim();
    switch (this.kind) {
      case 'switch':
        return this.#isOn ?? (this.#isRequired ? false : undefined);
      case 'choice':
        return this.#choices[this.#at]?.value;
      case 'several':
        return this.#picked.size === 0 && !this.#isRequired ? undefined : [...this.#picked];
      case 'number':
        return text === '' ? undefined : Number(text);
      default:
        return text === '' ? undefined : this.#field.text;
    }
  }

  /** What is wrong with it; null: nothing. */
  get fault(): string | null {
    const { value } = this;
    if (value === undefined) return this.#isRequired ? 'is needed' : null;
    const limit = (name: string) => (typeof this.#schema[name] === 'number' ? (this.#schema[name] as number) : null);
    if (typeof value === 'number') return numberFault(value, this.#schema.type === 'integer', limit);
    if (Array.isArray(value)) return sizeFault(value.length, limit('minItems'), limit('maxItems'), 'picked');
    if (typeof value !== 'string' || this.kind === 'choice') return null;
    return (
      sizeFault([...value].length, limit('minLength'), limit('maxLength'), 'characters') ??
      formatFault(value, this.#schema)
    );
  }

  rows(isCurrent: boolean, context: RowContext): RowsWithCaret {
    const { fault } = this;
    const title = visible(stringField(this.#schema, 'title') ?? this.name);
    const label: Span = {
      text: `${isCurrent ? '\u276f' : ' '} ${title}${this.#isRequired ? ' *' : ''}: `,
      ...(isCurrent && { styles: ['strong'] as const }),
    };
    const description = stringField(this.#schema, 'description');
    const notes = [
      ...(isCurrent && description ? spanRows([span(visible(description), 'dim')], { context, indent: 4 }) : []),
      ...(fault !== null && (isCurrent || this.#field.text !== '')
        ? spanRows([span(fault, 'warning')], { context, indent: 4 })
        : []),
    ];
    if (this.takesText) {
      const { rows, caret } = this.#field.rows(label, context);
      return { rows: [...rows, ...notes], caret };
    }
    const rows = spanRows([label, ...this.#shownValue()], { context, indent: 0 });
    return { rows: [...rows, ...notes], caret: { row: 0, before: toRow([{ text: '\u276f ' }], context.palette) } };
  }

  #shownValue(): Span[] {
    if (this.kind === 'switch') return [span(this.#isOn === null ? '(not set)' : this.#isOn ? '[x] yes' : '[ ] no')];
    return this.#choices.flatMap(({ value, title }, index) => {
      const isHere = index === this.#at;
      const mark =
        this.kind === 'several' ? (this.#picked.has(value) ? '[x] ' : '[ ] ') : isHere ? '\u25cf ' : '\u25cb ';
      return [span(`${mark}${title}`, isHere ? 'strong' : 'dim'), span('  ')];
    });
  }
}

/** `enum` with the names of newer and older schemas. */
function choicesOf(schema: JsonObject): { value: string; title: string }[] {
  const named = [schema.oneOf, schema.anyOf].find(Array.isArray) as unknown[] | undefined;
  if (named) {
    return named.filter(isObject).map((each) => {
      const value = String(each.const ?? '');
      return { value, title: visible(stringField(each, 'title') ?? value) };
    });
  }
  if (!Array.isArray(schema.enum)) return [];
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  return schema.enum.map((value, index) => ({ value: String(value), title: visible(String(names[index] ?? value)) }));
}

type Limit = (name: string) => number | null;

function numberFault(value: number, isInteger: boolean, limit: Limit): string | null {
  const [least, most] = [limit('minimum'), limit('maximum')];
  if (!Number.isFinite(value)) return 'is no number';
  if (isInteger && !Number.isInteger(value)) return 'has to be a whole number';
  if (least !== null && value < least) return `has to be at least ${least}`;
  return most !== null && value > most ? `may be at most ${most}` : null;
}

function sizeFault(size: number, least: number | null, most: number | null, what: string): string | null {
  if (least !== null && size < least) return `at least ${least} ${what}`;
  return most !== null && size > most ? `at most ${most} ${what}` : null;
}

function formatFault(value: string, { format }: JsonObject): string | null {
  if (format === 'email') return /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'is no e-mail address';
  if (format === 'uri') return URL.canParse(value) ? null : 'is no address';
  if (format === 'date')
    return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? null : 'is no date: 2026-01-31';
  if (format === 'date-time') return Number.isNaN(Date.parse(value)) ? 'is no date with a time' : null;
  return null;
}
