import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Question } from '../../view/view.ts';
import type { EditorAction } from '../editor/editor.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Asking } from './asking.ts';
import { coverageOf, offeredUpdates, parsedRule, withRule } from './rule-text.ts';
import { span, spanRows } from './shown-text.ts';
import { TextField } from './text-field.ts';

/** What the session says about a rule: whether it covers the call. */
interface Verdict {
  rule: string;
  covers: boolean;
  why: string;
}

/** The rule of a question while the person changes it. What does not cover the call is refused. */
export class RuleEditor {
  readonly #asking: Asking;
  readonly #question: Question;
  readonly #field: TextField;
  #verdict: Verdict | null = null;

  constructor(question: Question, rule: string, asking: Asking) {
    this.#question = question;
    this.#asking = asking;
    this.#field = new TextField(rule);
    void this.#explain();
  }

  edit(action: EditorAction): void {
    this.#field.edit(action);
    void this.#explain();
  }

  /** The rule where it covers the call; null: it does not, or that is not known yet. */
  get accepted(): string | null {
    const rule = this.#rule;
    return this.#verdict?.rule === rule && this.#verdict.covers ? rule : null;
  }

  rows(context: RowContext): RowsWithCaret {
    const { rows, caret } = this.#field.rows(span('  rule: ', 'strong'), context);
    const rule = this.#rule;
    const known = this.#verdict?.rule === rule ? this.#verdict : null;
    const says =
      known === null ? 'asking \u2026' : known.covers ? 'covers this call' : `does not cover this call: ${known.why}`;
    const note = spanRows(
      [span(`${coverageOf(rule)} \u00b7 `, 'dim'), span(says, known && !known.covers ? 'error' : 'dim')],
      { context },
    );
    return { rows: [...rows, ...note], caret };
  }

  get #rule(): string {
    return this.#field.text.trim();
  }

  async #explain(): Promise<void> {
    const rule = this.#rule;
    const { request } = this.#question;
    const verdict = await verdictOn(rule, request, this.#asking).catch((error) => ({
      covers: false,
      why: messageOf(error),
    }));
    if (rule !== this.#rule) return;
    this.#verdict = { rule, ...verdict };
    this.#asking.changed();
  }
}

async function verdictOn(rule: string, request: JsonObject, { stage }: Asking): Promise<Omit<Verdict, 'rule'>> {
  const tool = stringField(request, 'tool_name') ?? '';
  const parsed = parsedRule(rule);
  if (!parsed) return { covers: false, why: 'it is not written as Tool(what)' };
  const answer = await stage.call({
    subtype: 'explain_permission',
    tool_name: tool,
    input: isObject(request.input) ? request.input : {},
    updates: withRule(offeredUpdates(request), rule),
  });
  return { covers: answer.behavior === 'allow', why: stringField(answer, 'reason') ?? '' };
}
