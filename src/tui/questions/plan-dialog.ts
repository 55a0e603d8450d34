import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Question } from '../../view/view.ts';
import { openPager } from '../pager/open-pager.ts';
import { rowsPart } from '../pager/pager-part.ts';
import { noteRows } from '../rows/blocks/block-to-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { AnswerRows, codeColours } from '../rows/markdown/answer-rows.ts';
import { type Row, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import { editFile } from '../typing/editor-program.ts';
import type { Asking } from './asking.ts';
import { headRows } from './head-rows.ts';
import { Menu, type MenuItem } from './menu.ts';
import { span, spanRows } from './shown-text.ts';
import { TextField } from './text-field.ts';

interface PlanChoice extends MenuItem {
  readonly mode: string | null;
}

const CHOICES: readonly PlanChoice[] = [
  { id: 'edits', text: 'Go on with this plan, and accept edits', mode: 'acceptEdits' },
  { id: 'ask', text: 'Go on with this plan, and ask for each change', mode: 'default' },
  { id: 'plan', text: 'Go on planning: say what is missing \u2026', mode: null },
];

/** The model has a plan, and wants to begin. */
export class PlanDialog implements Dialog {
  readonly #question: Question;
  readonly #asking: Asking;
  readonly #input: JsonObject;
  readonly #menu = new Menu(CHOICES, 'ask');
  #plan: string;
  #isEdited = false;
  #from = 0;
  #step = 1;
  #remark: TextField | null = null;
  #pager: { stop(): void } | null = null;
  #isAnswered = false;

  constructor(question: Question, asking: Asking) {
    this.#question = question;
    this.#asking = asking;
    this.#input = isObject(question.request.input) ? question.request.input : {};
    this.#plan = stringField(this.#input, 'plan') ?? '';
  }

  get takesText(): boolean {
    return this.#remark !== null;
  }

  get hint(): string {
    if (this.#remark) return 'enter answers \u00b7 esc: back';
    const edit = this.#file === undefined ? '' : ' \u00b7 e: edit it';
    return `digits choose \u00b7 pgup pgdn: scroll \u00b7 v: all${edit} \u00b7 esc: go on planning`;
  }

  rows({ rows: most }: Size): RowsWithCaret {
    const { context } = this.#asking.stage;
    const head = headRows(this.#question, this.#asking.position, context);
    const tail = this.#tail(context);
    const plan = this.#planRows(context);
    const room = Math.max(1, most - head.length - tail.rows.length);
    const isLong = plan.length > room;
    const shown = isLong ? Math.max(1, room - 1) : room;
    this.#step = Math.max(1, shown - 1);
    this.#from = Math.min(this.#from, Math.max(0, plan.length - shown));
    const where = `  \u2026 rows ${this.#from + 1} to ${this.#from + shown} of ${plan.length}`;
    const above = [
      ...head,
      ...plan.slice(this.#from, this.#from + shown),
      ...(isLong ? [toRow([{ text: where, styles: ['dim'] }], context.palette)] : []),
    ];
    return {
      rows: [...above, ...tail.rows],
      caret: { row: above.length + tail.caret.row, before: tail.caret.before },
    };
  }

  take(input: DialogInput): void {
    if (this.#isAnswered) return;
    const { action, text, edit } = input;
    if (this.#remark) {
      if (edit) this.#remark.edit(edit);
      else if (action === 'confirm:no') this.#remark = null;
      else if (action === 'confirm:yes') this.#refuse(this.#remark.text.trim());
    } else if (action === 'confirm:no') this.#refuse('');
    else if (action === 'confirm:nextField') this.#remark = new TextField();
    else if (action === 'key' && text === 'v') this.#viewAll();
    else if (action === 'key' && text === 'e') void this.#edit();
    else if (action === 'key' && text === 'pagedown') this.#from += this.#step;
    else if (action === 'key' && text === 'pageup') this.#from = Math.max(0, this.#from - this.#step);
    else this.#choose(this.#menu.take(input)?.item);
  }

  closed(): void {
    this.#isAnswered = true;
    this.#pager?.stop();
  }

  get #file(): string | undefined {
    return stringField(this.#input, 'planFilePath');
  }

  #choose(choice: PlanChoice | undefined): void {
    if (!choice) return;
    if (choice.mode === null) {
      this.#remark = new TextField();
      return;
    }
    this.#isAnswered = true;
    const body: JsonObject = {
      behavior: 'allow',
      ...(this.#isEdited && { updatedInput: { ...this.#input, plan: this.#plan } }),
      updatedPermissions: [{ type: 'setMode', mode: choice.mode, destination: 'session' }],
    };
    const how = choice.mode === 'acceptEdits' ? 'edits are accepted' : 'each change is asked for';
    this.#asking.answer(body, { text: `\u2713 the plan is approved \u00b7 ${how}`, style: 'good' });
  }

  #refuse(remark: string): void {
    this.#isAnswered = true;
    const message = `The user does not approve the plan yet: stay in plan mode${remark === '' ? '.' : ` and change it. The user says: ${remark}`}`;
    const said = remark === '' ? '' : `: ${remark.replaceAll(/\s+/g, ' ')}`;
    this.#asking.answer({ behavior: 'deny', message }, { text: `\u2717 planning goes on${said}`, style: 'warning' });
  }

  #viewAll(): void {
    const { stage } = this.#asking;
    const parts = [rowsPart((context) => this.#planRows(context), stage.context)];
    this.#pager = openPager(stage, { title: 'Plan', parts }, () => {
      this.#pager = null;
    });
  }

  /** The plan is what the file says afterwards. */
  async #edit(): Promise<void> {
    const { stage, env } = this.#asking;
    const file = this.#file;
    if (file === undefined) {
      stage.notify('The plan is in no file.');
      return;
    }
    try {
      await editFile(file, stage, env);
      const plan = await readFile(file, 'utf8');
      this.#isEdited ||= plan !== this.#plan;
      this.#plan = plan;
    } catch (error) {
      stage.notify(messageOf(error));
    }
    this.#asking.changed();
  }

  #planRows(context: RowContext): Row[] {
    if (this.#plan.trim() === '') return noteRows('  the plan is empty', 'dim', context);
    const rows = new AnswerRows({ context, colours: () => codeColours });
    return [...rows.push(this.#plan), ...rows.end()];
  }

  #tail(context: RowContext): RowsWithCaret {
    const { rows, caret } = this.#menu.rows(context);
    const edited = this.#isEdited ? spanRows([span('the plan as you have changed it', 'dim')], { context }) : [];
    if (!this.#remark) return { rows: [...rows, ...edited], caret };
    const text = this.#remark.rows(span('  what is missing: '), context);
    return { rows: [...rows, ...text.rows], caret: { row: rows.length + text.caret.row, before: text.caret.before } };
  }
}
