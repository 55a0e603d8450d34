import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Question } from '../../view/view.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import { openPager } from '../pager/open-pager.ts';
import { rowsPart } from '../pager/pager-part.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Row } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import type { Stage } from '../stage/stage.ts';
import type { Asking } from './asking.ts';
import { fitBody } from './body.ts';
import { callBody } from './call-body.ts';
import { callInShort, headRows } from './head-rows.ts';
import { Menu } from './menu.ts';
import {
  type PermissionChoice,
  permissionAnswer,
  permissionChoices,
  permissionOutcome,
  SAID_NO,
  whyNeverAlways,
} from './permission-choices.ts';
import { RuleEditor } from './rule-editor.ts';
import { offeredUpdates, onlyRule, widerRule } from './rule-text.ts';
import { span, spanRows, textRows, visible } from './shown-text.ts';
import { TextField } from './text-field.ts';
import { answerTogether } from './together.ts';

/** May this call run? */
export class PermissionDialog implements Dialog {
  readonly #question: Question;
  readonly #asking: Asking;
  readonly #menu: Menu<PermissionChoice>;
  #rule: string | null = null;
  #hasSeenAll = false;
  #hasMore = false;
  #ignoresBlanks = false;
  #explanation: readonly string[] = [];
  #remark: { field: TextField; choice: PermissionChoice } | null = null;
  #ruleEditor: RuleEditor | null = null;
  #pager: { stop(): void } | null = null;
  #isAnswered = false;

  constructor(question: Question, asking: Asking) {
    this.#question = question;
    this.#asking = asking;
    this.#menu = new Menu(this.#choices(), this.#isRisky ? 'no' : 'once');
  }

  get takesText(): boolean {
    return this.#remark !== null || this.#ruleEditor !== null;
  }

  get hint(): string {
    if (this.#ruleEditor) return 'enter takes the rule \u00b7 esc: back';
    if (this.#remark) return 'enter answers \u00b7 esc: back';
    const rule = this.#canEdit ? ' \u00b7 e: rule' : '';
    const keys = this.#hasMore ? ' \u00b7 v: all' : '';
    return `esc: ${this.#escText} \u00b7 tab: remark${rule}${keys} \u00b7 ?: why \u00b7 shift+tab: back`;
  }

  rows({ rows: most }: Size): RowsWithCaret {
    const { stage, position } = this.#asking;
    const { context } = stage;
    const head = [...headRows(this.#question, position, context), ...this.#titleRows(context)];
    const why = this.#whyRows(context);
    const tail = this.#tail(context);
    const room = Math.max(1, most - head.length - why.length - tail.rows.length);
    const body = fitBody(this.#body(context, { isWhole: false }), room, context);
    this.#noteMore(body.hasMore);
    // The list has got one more answer when the question turned out to be longer than the window.
    const shown = this.#tail(context);
    const above = [...head, ...body.rows, ...why];
    return {
      rows: [...above, ...shown.rows],
      caret: { row: above.length + shown.caret.row, before: shown.caret.before },
    };
  }

  take(input: DialogInput): void {
    if (this.#isAnswered) return;
    if (this.#ruleEditor) this.#takeRuleKey(this.#ruleEditor, input);
    else if (this.#remark) this.#takeRemarkKey(this.#remark, input);
    else this.#takeKey(input);
  }

  closed(): void {
    this.#isAnswered = true;
    this.#pager?.stop();
  }

  #takeKey(input: DialogInput): void {
    const { action, text } = input;
    if (action === 'confirm:no') this.#deny();
    else if (action === 'confirm:nextField') this.#remarkOn(this.#menu.selected);
    else if (action === 'key' && text === 'v') this.#viewAll();
    else if (action === 'key' && text === 'w') this.#ignoresBlanks = !this.#ignoresBlanks;
    else if (action === 'key' && text === 'e') this.#editRule();
    else if (action === 'key' && text === '?') void this.#explain();
    else if (action === 'key' && (text === 'y' || text === 'n')) this.#letter(text);
    else {
      const taken = this.#menu.take(input);
      if (taken) this.#choose(taken.item, taken.by);
    }
  }

  #letter(letter: 'y' | 'n'): void {
    if (!this.#asking.habits.letterAnswers) return;
    const choice = this.#menu.items.find(({ id }) => id === (letter === 'y' ? 'once' : 'no'));
    if (choice) this.#choose(choice, 'digit');
  }

  #choose(choice: PermissionChoice, by: 'enter' | 'digit'): void {
    if (choice.id === 'all') this.#viewAll();
    else if (choice.id === 'say') this.#remarkOn(choice);
    else if (by === 'digit' && choice.behavior === 'allow' && this.#isRisky) {
      this.#asking.stage.notify('Arrow and enter approve this one.');
    } else this.#answer(choice, '');
  }

  #remarkOn(choice: PermissionChoice | undefined): void {
    if (choice?.behavior) this.#remark = { field: new TextField(), choice };
  }

  #takeRemarkKey(
    { field, choice }: { field: TextField; choice: PermissionChoice },
    { action, edit }: DialogInput,
  ): void {
    if (edit) field.edit(edit);
    else if (action === 'confirm:no' || action === 'confirm:nextField') this.#remark = null;
    else if (action === 'confirm:yes') {
      this.#remark = null;
      this.#answer(choice, field.text.trim());
    }
  }

  #takeRuleKey(editor: RuleEditor, { action, edit }: DialogInput): void {
    if (edit) editor.edit(edit);
    else if (action === 'confirm:no') this.#ruleEditor = null;
    else if (action === 'confirm:yes') {
      if (editor.accepted === null) {
        this.#asking.stage.notify('A rule has to cover this call.');
        return;
      }
      this.#rule = editor.accepted;
      this.#ruleEditor = null;
      this.#menu.set(this.#choices());
      this.#menu.select('session');
    }
  }

  #answer(choice: PermissionChoice, remark: string): void {
    this.#isAnswered = true;
    const { stage } = this.#asking;
    const outcome = permissionOutcome(choice, callInShort(this.#question), remark);
    const send = () => {
      this.#asking.answer(permissionAnswer(choice, remark), outcome);
      // An approval has no place for a text: what the person says joins the turn.
      if (choice.behavior === 'allow' && remark !== '') sendRemark(remark, stage);
    };
    const others = stage.tracker.view.questions.filter(({ id }) => id !== this.#question.id);
    if (choice.updates.length === 0 || others.length === 0) send();
    else void answerTogether(choice.updates, others, { asking: this.#asking, send });
  }

  #deny(): void {
    this.#isAnswered = true;
    const interrupt = this.#asking.habits.escDeny === 'interrupt';
    const body: JsonObject = { behavior: 'deny', message: SAID_NO, ...(interrupt && { interrupt }) };
    const text = `\u2717 denied \u00b7 ${callInShort(this.#question)}${interrupt ? ' \u00b7 the turn ends' : ''}`;
    this.#asking.answer(body, { text, style: 'warning' });
  }

  #viewAll(): void {
    const { stage } = this.#asking;
    this.#hasSeenAll = true;
    const rows = (context: BlockContext) => [
      ...this.#titleRows(context),
      ...this.#body(context, { isWhole: true }).rows,
      ...this.#whyRows(context),
    ];
    const content = { title: callInShort(this.#question), parts: [rowsPart(rows, stage.context)] };
    this.#pager = openPager(stage, content, () => {
      this.#pager = null;
      if (this.#menu.selected?.id === 'all') this.#menu.select(this.#isRisky ? 'no' : 'once');
    });
  }

  #editRule(): void {
    const rule = this.#rule ?? onlyRule(offeredUpdates(this.#question.request));
    if (rule === null) this.#asking.stage.notify('There is no rule to edit here.');
    else this.#ruleEditor = new RuleEditor(this.#question, this.#rule ?? widerRule(rule), this.#asking);
  }

  async #explain(): Promise<void> {
    const { request } = this.#question;
    try {
      const input = isObject(request.input) ? request.input : {};
      const answer = await this.#asking.stage.call({
        subtype: 'explain_permission',
        tool_name: stringField(request, 'tool_name') ?? '',
        input,
      });
      const hooks = Array.isArray(answer.hooks) ? answer.hooks.map(String) : [];
      this.#explanation = [
        `decided by: ${stringField(answer, 'layer') ?? 'unknown'}${answer.rule ? ` \u00b7 ${String(answer.rule)}` : ''}`,
        ...(answer.where ? [`in: ${String(answer.where)}`] : []),
        ...(answer.reason ? [`because: ${String(answer.reason)}`] : []),
        ...hooks.map((hook) => `hook: ${hook}`),
      ];
    } catch (error) {
      this.#explanation = [messageOf(error)];
    }
    this.#asking.changed();
  }

  #choices(): PermissionChoice[] {
    const cwd = this.#asking.stage.tracker.view.info.cwd;
    return permissionChoices(this.#question.request, { cwd, rule: this.#rule, hasMore: this.#hasMore });
  }

  /** More of the call than fits is to be seen first, unless the person has looked at it. */
  #noteMore(hasMore: boolean): void {
    if (hasMore === this.#hasMore) return;
    this.#hasMore = hasMore;
    const before = this.#menu.selected?.id;
    this.#menu.set(this.#choices());
    if (hasMore && !this.#hasSeenAll) this.#menu.select('all');
    else if (!hasMore && before === 'all') this.#menu.select(this.#isRisky ? 'no' : 'once');
  }

  #titleRows(context: RowContext): Row[] {
    const title = stringField(this.#question.request, 'title');
    return title === undefined ? [] : spanRows([span(visible(title), 'strong')], { context });
  }

  #body(context: RowContext, { isWhole }: { isWhole: boolean }) {
    const { info } = this.#asking.stage.tracker.view;
    return callBody(this.#question.request, { context, info, isWhole, ignoreBlanks: this.#ignoresBlanks });
  }

  #whyRows(context: RowContext): Row[] {
    const { request } = this.#question;
    // The answers replace the flags that the description names.
    const reason = (stringField(request, 'description') ?? stringField(request, 'decision_reason'))?.split(
      ' To allow it: ',
    )[0];
    const never = whyNeverAlways(request);
    const dim = { context, style: 'dim' as const };
    return [
      ...(reason === undefined ? [] : textRows(`why: ${reason}`, dim)),
      ...(never === null ? [] : textRows(never, dim)),
      ...this.#explanation.flatMap((line) => textRows(line, { ...dim, indent: 4 })),
    ];
  }

  #tail(context: RowContext): RowsWithCaret {
    if (this.#ruleEditor) return this.#ruleEditor.rows(context);
    const { rows, caret } = this.#menu.rows(context);
    if (this.#remark) {
      const { choice, field } = this.#remark;
      const text = field.rows(span(`  ${choice.behavior === 'allow' ? 'and say: ' : 'what to do instead: '}`), context);
      return { rows: [...rows, ...text.rows], caret: { row: rows.length + text.caret.row, before: text.caret.before } };
    }
    const back = this.#asking.isFocused ? [] : spanRows([span('tab answers', 'dim')], { context });
    return { rows: [...rows, ...back], caret };
  }

  get #isRisky(): boolean {
    return this.#question.request.default_to_no === true;
  }

  get #canEdit(): boolean {
    return onlyRule(offeredUpdates(this.#question.request)) !== null;
  }

  get #escText(): string {
    return this.#asking.habits.escDeny === 'interrupt' ? 'no, and end the turn' : 'no';
  }
}

/** What the person says with an answer joins the running turn, as a prompt that was sent meanwhile. */
function sendRemark(text: string, stage: Stage): void {
  const message = {
    ...{ type: 'user', uuid: stage.newId(), message: { role: 'user', content: text } },
    priority: 'next',
  } as UserInput;
  stage.take(stage.tracker.sent(message, stage.now()));
  stage.link?.send({ ...message }).catch(() => stage.draft(text));
}
