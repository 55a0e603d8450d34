import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Paint } from '../../util/text/paint.ts';
import { asEscape, printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { shownText } from './shown-text.ts';

/** A question about a tool call, and the possible answers. */
export interface Question {
  /** The lines above the prompt. */
  lines: string[];
  /** What the person may type, and its meaning. */
  prompt: string;
  /** The updates that "always" stands for; empty where that answer is not offered. */
  always: JsonObject[];
  /** Only the whole word "yes" allows it, and an empty answer denies it. */
  isRisky: boolean;
}

/** The most lines of a written text that are shown; a longer text says how many more there are. */
const MAX_LINES = 20;

export interface QuestionView {
  paint: Paint;
  /** The working directory of the run: paths below it need no separate permission. */
  cwd: string;
  /** Columns of the terminal. */
  width: () => number;
}

/** The question for a person, made from a `can_use_tool` request. */
export function questionOf(request: JsonObject, { paint, cwd, width }: QuestionView): Question {
  const title = titleOf(request);
  // The answer "always" replaces the flags that the description names.
  const reason = stringField(request, 'description')?.split(' To allow it: ')[0];
  const isRisky = request.default_to_no === true;
  const always = request.suppress_always_allow_rule === true ? [] : suggestionsOf(request);
  const wrapped = (text: string) => wrapText(text, width(), { hang: 2 });
  const meaning = always.flatMap((each) => meaningOf(each, cwd)).join(', ');
  const choices = isRisky ? '[yes/N]' : always.length === 0 ? '[y/n]' : '[y/n/always]';
  return {
    lines: [
      ...wrapped(title).map(paint.bold),
      ...bodyLines(request, paint),
      ...(reason === undefined ? [] : wrapped(`Why this is asked: ${reason}`).map(paint.dim)),
      ...(always.length === 0 ? [] : wrapped(`always: ${meaning}, for this session`).map(paint.dim)),
    ],
    prompt: `Allow it? ${choices} `,
    always,
    isRisky,
  };
}

export type Answer = 'yes' | 'no' | 'always';

/** Null: the text is not one of the answers. */
export function answerOf(text: string, { isRisky, always }: Question): Answer | null {
  const word = text.trim().toLowerCase();
  if (word === 'yes' || (word === 'y' && !isRisky)) return 'yes';
  if (word === 'no' || word === 'n' || (word === '' && isRisky)) return 'no';
  if ((word === 'always' || word === 'a') && always.length > 0 && !isRisky) return 'always';
  return null;
}

/** The possible answers, shown after an invalid one. */
export function answersText({ isRisky, always }: Question): string {
  if (isRisky) return 'Please type yes or no.';
  return always.length > 0 ? 'Please type y, n or always.' : 'Please type y or n.';
}

function titleOf(request: JsonObject): string {
  const command = longCommand(request);
  if (command !== null) return 'Heddle wants to run this command:';
  return stringField(request, 'title') ?? `Heddle wants to use the tool ${printable(nameOf(request))}`;
}

/** A command that the title does not show in full, because it is long, has several lines or hides something. */
function longCommand(request: JsonObject): string | null {
  const command = nameOf(request) === 'Bash' ? stringField(request.input, 'command') : undefined;
  if (command === undefined || stringField(request, 'title')?.endsWith(`: ${command}`)) return null;
  return command;
}

function nameOf(request: JsonObject): string {
  return stringField(request, 'tool_name') ?? '';
}

function suggestionsOf({ permission_suggestions: raw }: JsonObject): JsonObject[] {
  return Array.isArray(raw) ? raw.filter(isObject) : [];
}

/** What an update changes, in a few words; empty where it changes nothing. */
function meaningOf(update: JsonObject, cwd: string): string[] {
  switch (update.type) {
    case 'addRules': {
      const rules = Array.isArray(update.rules) ? update.rules.filter(isObject) : [];
      return [`allow ${rules.map(ruleText).join(', ')}`];
    }
    case 'setMode':
      return [update.mode === 'acceptEdits' ? 'accept edits of files' : `the mode ${printable(String(update.mode))}`];
    case 'addDirectories': {
      const all = Array.isArray(update.directories) ? update.directories.map(String) : [];
      const others = all.filter((directory) => !isInside(cwd, directory));
      return others.length === 0 ? [] : [`work in ${others.map(printable).join(', ')}`];
    }
    default:
      return [printable(JSON.stringify(update))];
  }
}

function ruleText(rule: JsonObject): string {
  const content = stringField(rule, 'ruleContent');
  const name = stringField(rule, 'toolName') ?? '';
  return printable(content === undefined ? name : `${name}(${content})`);
}

/**
 * The parts that the title leaves out: the change to a file, a command that is too long for it, the input of any other
 * tool.
 */
function bodyLines(request: JsonObject, paint: Paint): string[] {
  const input = isObject(request.input) ? request.input : {};
  const added = (text: string) => firstLines(text).map((line) => paint.green(`  + ${line}`));
  switch (nameOf(request)) {
    case 'Bash':
      return indented(longCommand(request) ?? undefined);
    case 'Write':
      return added(stringField(input, 'content') ?? '');
    case 'Edit':
      return [
        ...firstLines(stringField(input, 'old_string') ?? '').map((line) => paint.red(`  - ${line}`)),
        ...added(stringField(input, 'new_string') ?? ''),
      ];
    case 'ExitPlanMode':
      return indented(stringField(input, 'plan'));
    case 'Read':
    case 'WebFetch':
    case 'WebSearch':
      return [];
    default:
      return firstLines(JSON.stringify(input, null, 2)).map((line) => paint.dim(`  ${line}`));
  }
}

/** The whole text: the person approves what is shown. */
function indented(text: string | undefined): string[] {
  return text === undefined ? [] : shownLines(text).map((line) => `  ${line}`);
}

function firstLines(text: string): string[] {
  const lines = shownLines(text);
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… and ${more} more lines`] : lines;
}

function shownLines(text: string): string[] {
  if (text === '') return [];
  const seen = shownText(text.replace(/\n$/, '')).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, asEscape);
  return seen.split('\n');
}
