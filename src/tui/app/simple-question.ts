import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Question } from '../../view/view.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { noteRows } from '../rows/blocks/block-to-rows.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import { callName, callSubject } from '../rows/blocks/call-text.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { EMPTY_ROW, type Row, toRow } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';

/** One way to answer a question. */
export interface Choice {
  text: string;
  answer: JsonObject;
  /** What stays in the scrollback. */
  outcome: string;
}

const SAID_NO = 'The user said no to this call.';

/** The ways to answer a question about a call, in the order of their digits. */
export function choicesOf({ kind, request }: Question): Choice[] {
  if (kind === 'elicitation') {
    return [
      { text: 'Decline', answer: { action: 'decline' }, outcome: '\u2717 declined' },
      { text: 'Cancel', answer: { action: 'cancel' }, outcome: '\u2717 cancelled' },
    ];
  }
  const rules = request.suppress_always_allow_rule === true ? [] : suggestionsOf(request);
  const named = rules.map(describe).filter((text) => text !== '');
  return [
    { text: 'Yes, this once', answer: { behavior: 'allow' }, outcome: '\u2713 allowed once' },
    ...(named.length > 0
      ? [
          {
            text: `Yes, and from now on: ${named.join(', ')}`,
            answer: { behavior: 'allow', updatedPermissions: rules },
            outcome: `\u2713 allowed, and from now on: ${named.join(', ')}`,
          },
        ]
      : []),
    { text: 'No', answer: { behavior: 'deny', message: SAID_NO }, outcome: '\u2717 denied' },
  ];
}

function suggestionsOf({ permission_suggestions: all }: JsonObject): JsonObject[] {
  return Array.isArray(all) ? all.filter(isObject) : [];
}

/** The very rule, and where it is kept. */
function describe(update: JsonObject): string {
  const rules = Array.isArray(update.rules) ? update.rules.filter(isObject) : [];
  const texts = rules.map((rule) => {
    const content = stringField(rule, 'ruleContent');
    return `${stringField(rule, 'toolName') ?? ''}${content === undefined ? '' : `(${content})`}`;
  });
  const directories = Array.isArray(update.directories) ? update.directories.map(String) : [];
  const mode = stringField(update, 'mode');
  const what = [...texts, ...directories, ...(mode ? [`mode ${mode}`] : [])].map(safeLine).join(', ');
  const where = stringField(update, 'destination') ?? 'session';
  const kept: Record<string, string> = {
    session: 'for this session',
    localSettings: 'in .claude/settings.local.json',
    projectSettings: 'in .claude/settings.json',
    userSettings: 'in settings.json of the config home',
  };
  return what === '' ? '' : `${what} (${kept[where] ?? safeLine(where)})`;
}

export interface QuestionView {
  question: Question;
  choices: readonly Choice[];
  selected: number;
  /** Whether its keys are the person's now. */
  isFocused: boolean;
  count: number;
}

/** The rows of a question; the cursor stands at the selected choice. */
export function questionRows(view: QuestionView, context: BlockContext): RowsWithCaret {
  const { question, choices, selected, isFocused, count } = view;
  const { request, call, agent } = question;
  const title = stringField(request, 'title') ?? stringField(request, 'message') ?? '';
  const who = agent ? `${safeLine(agent.name)} asks: ` : '';
  const of = count > 1 ? ` (1 of ${count})` : '';
  const rows: Row[] = [
    EMPTY_ROW,
    headRow(context, [
      { text: '? ', styles: ['warning', 'strong'] },
      { text: who + (call ? callName(call.name) : 'A server asks') + of, styles: ['strong'] },
    ]),
    ...bodyRows(question, title, context),
  ];
  const first = rows.length;
  for (const [index, { text }] of choices.entries()) {
    const mark = index === selected ? '\u276f' : ' ';
    rows.push(
      headRow(context, [
        { text: `${mark} ${index + 1} ${safeLine(text)}`, styles: index === selected ? ['strong'] : [] },
      ]),
    );
  }
  if (!isFocused) rows.push(toRow([{ text: '  tab answers', styles: ['dim'] }], context.palette));
  return { rows, caret: { row: first + selected, before: toRow([{ text: '\u276f ' }], context.palette) } };
}

function bodyRows({ request, call }: Question, title: string, context: BlockContext): Row[] {
  const input = isObject(request.input) ? request.input : {};
  const command = stringField(input, 'command');
  const subject = call ? callSubject({ ...call, input }, context.cwd) : '';
  const body = command ?? (subject === '' ? '' : subject);
  const reason = stringField(request, 'description') ?? stringField(request, 'decision_reason') ?? '';
  return [
    ...(title === '' ? [] : noteRows(title, 'strong', context)),
    ...(body === '' || title.includes(body) ? [] : noteRows(`  ${body}`, 'code', context)),
    ...(reason === '' ? [] : noteRows(`  ${reason}`, 'dim', context)),
  ];
}
