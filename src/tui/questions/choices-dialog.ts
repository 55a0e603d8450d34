import { isObject, type JsonObject } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { type Row, textOfRow, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import { AskedQuestion } from './asked-question.ts';
import type { Asking } from './asking.ts';
import { headRows } from './head-rows.ts';
import { span, spanRows } from './shown-text.ts';

const BESIDE_COLUMNS = 80;

/** The model asks one to four questions, each with options. Enter behind the last one sends all answers. */
export class ChoicesDialog implements Dialog {
  readonly #question: Question;
  readonly #asking: Asking;
  readonly #input: JsonObject;
  readonly #asked: readonly AskedQuestion[];
  /** Behind the last question: all answers together. */
  #at = 0;
  #isAnswered = false;

  constructor(question: Question, asking: Asking) {
    this.#question = question;
    this.#asking = asking;
    this.#input = isObject(question.request.input) ? question.request.input : {};
    const { questions } = this.#input;
    this.#asked = (Array.isArray(questions) ? questions.filter(isObject) : []).map((each) => new AskedQuestion(each));
  }

  get takesText(): boolean {
    return this.#current?.takesText ?? false;
  }

  get hint(): string {
    if (this.takesText) return 'enter takes the text \u00b7 esc: back';
    const several = this.#current?.isMultiple ? 'digits and space pick several \u00b7 enter: next' : 'digits choose';
    const what = this.#current ? several : 'enter sends the answers';
    return `${what}${this.#asked.length > 1 ? ' \u00b7 \u2190 \u2192: questions' : ''} \u00b7 esc: no answer`;
  }

  rows({ columns }: Size): RowsWithCaret {
    const { stage, position } = this.#asking;
    const { context } = stage;
    const above = [...headRows(this.#question, position, context), ...this.#tabRows(context)];
    const current = this.#current;
    const { rows, caret } = current ? this.#questionRows(current, columns, context) : this.#reviewRows(context);
    return { rows: [...above, ...rows], caret: { row: above.length + caret.row, before: caret.before } };
  }

  take(input: DialogInput): void {
    if (this.#isAnswered) return;
    const current = this.#current;
    if (current?.takesText) {
      if (current.takeText(input) === 'done') this.#next();
    } else if (input.action === 'confirm:no') this.#cancel();
    else if (input.action === 'tabs:next' || input.action === 'confirm:nextField') this.#go(1);
    else if (input.action === 'tabs:previous') this.#go(-1);
    else if (!current) {
      if (input.action === 'confirm:yes') this.#send();
    } else if (current.take(input) === 'done') this.#next();
  }

  closed(): void {
    this.#isAnswered = true;
  }

  get #current(): AskedQuestion | undefined {
    return this.#asked[this.#at];
  }

  #go(by: -1 | 1): void {
    this.#at = Math.min(this.#asked.length, Math.max(0, this.#at + by));
  }

  /** The only question needs no review where one pick answers it. */
  #next(): void {
    const [only, ...others] = this.#asked;
    if (only && others.length === 0 && !only.isMultiple) this.#send();
    else this.#go(1);
  }

  #send(): void {
    const answers = Object.fromEntries(
      this.#asked.flatMap((asked) => (asked.answer === '' ? [] : [[asked.text, asked.answer]])),
    );
    if (Object.keys(answers).length === 0) {
      this.#asking.stage.notify('There is no answer yet: esc gives none.');
      return;
    }
    this.#isAnswered = true;
    const said = this.#asked.filter(({ answer }) => answer !== '').map(({ title, answer }) => `${title}: ${answer}`);
    this.#asking.answer(
      { behavior: 'allow', updatedInput: { ...this.#input, answers } },
      { text: `\u2713 answered \u00b7 ${said.join(' \u00b7 ').replaceAll(/\s+/g, ' ')}`, style: 'good' },
    );
  }

  #cancel(): void {
    this.#isAnswered = true;
    const interrupt = this.#asking.habits.escDeny === 'interrupt';
    const body = { behavior: 'deny', message: 'The user gave no answer.', ...(interrupt && { interrupt }) };
    this.#asking.answer(body, { text: '\u2717 no answer given', style: 'warning' });
  }

  #tabRows(context: RowContext): Row[] {
    if (this.#asked.length < 2) return [];
    const tab = (text: string, index: number) => span(` ${text} `, index === this.#at ? 'inverse' : 'dim');
    const mark = (asked: AskedQuestion, index: number) => {
      const here = index === this.#at ? '\u25b8' : '';
      return `${here}${asked.answer === '' ? '\u25cb' : '\u2713'} ${asked.title}`;
    };
    const tabs = this.#asked.map((asked, index) => tab(mark(asked, index), index));
    const here = this.#at === this.#asked.length ? '\u25b8' : '';
    return spanRows([...tabs, tab(`${here}send`, this.#asked.length)], { context });
  }

  #questionRows(asked: AskedQuestion, columns: number, context: RowContext): RowsWithCaret {
    const title = spanRows([span(asked.shownText, 'strong')], { context });
    const preview = asked.previewRows;
    const isBeside = preview.length > 0 && columns >= BESIDE_COLUMNS && !asked.takesText;
    const width = isBeside ? Math.floor(columns / 2) - 2 : context.width;
    const { rows, caret } = asked.rows({ ...context, width });
    const shown = (isBeside ? preview : preview.slice(0, 8)).map((line) => span(line, 'dim'));
    const all = isBeside
      ? beside(
          rows,
          shown.map((each) => each.text),
          { ...context, left: width },
        )
      : [...rows, ...shown.flatMap((each) => spanRows([each], { context, indent: 4 }))];
    return { rows: [...title, ...all], caret: { row: title.length + caret.row, before: caret.before } };
  }

  #reviewRows(context: RowContext): RowsWithCaret {
    const rows = this.#asked.flatMap((asked) =>
      spanRows([span(`${asked.title}: `, 'dim'), span(asked.answer === '' ? '(no answer)' : asked.shownAnswer)], {
        context,
      }),
    );
    const send = toRow([{ text: '\u276f Send these answers', styles: ['strong'] }], context.palette);
    return {
      rows: [...rows, send],
      caret: { row: rows.length, before: toRow([{ text: '\u276f ' }], context.palette) },
    };
  }
}

/** Two columns: the answers, and what the selected one would be like. */
function beside(left: readonly Row[], right: readonly string[], context: RowContext & { left: number }): Row[] {
  const { widths, palette, width } = context;
  const room = Math.max(1, width - context.left - 4);
  const lines = right.flatMap((line) =>
    widths.of(line) <= room ? [line] : [`${cutTo(line, room - 1, widths)}\u2026`],
  );
  return Array.from({ length: Math.max(left.length, lines.length) }, (_, index) => {
    const row = left[index] ?? ('' as Row);
    const blanks = ' '.repeat(Math.max(1, context.left + 1 - widths.of(textOfRow(row))));
    const line = lines[index];
    if (line === undefined) return row;
    return `${row}${toRow([{ text: `${blanks}\u2502 ` }, { text: line, styles: ['dim'] }], palette)}` as Row;
  });
}

function cutTo(text: string, width: number, widths: RowContext['widths']): string {
  let [kept, used] = ['', 0];
  for (const cluster of widths.clusters(text)) {
    used += cluster.width;
    if (used > width) break;
    kept += cluster.text;
  }
  return kept;
}
