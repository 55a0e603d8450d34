import { mayNameProgram, patternsMeet, programName } from '../shell/program-patterns.ts';
import {
  ANY_TEXT,
  argvOf,
  everyCommand,
  type Part,
  type ShellCommand,
  type ShellScript,
  type Word,
  whyUnknown,
} from '../shell/shell-script.ts';
import { ANY_WORDS, type RuleWord, type ShellSpec } from '../shell/shell-spec.ts';

/**
 * Why a rule that forbids catches a script, in words; null when it does not. Errs towards catching: any rule catches a
 * command that is not known beforehand. A rule that names several commands means all of them together.
 */
export function forbidsScript({ commands: rules }: ShellSpec, script: ShellScript): string | null {
  if (rules === null) return 'this version cannot tell which commands it means, so it covers all of them';
  const unknown = whyUnknown(script);
  if (unknown !== null) return unknown;
  const commands = everyCommand(script);
  const caught = rules.map((rule) => commands.find((command) => mayRun(command, rule)));
  if (caught.length === 0 || caught.includes(undefined)) return null;
  const isKnown = caught.every((command) => command !== undefined && argvOf(command) !== null);
  return isKnown ? 'it matches the command' : 'it may match the command, of which not every word is known beforehand';
}

/**
 * Whether running a command may run what a rule names. A program whose grammar is known runs nothing but itself and what
 * is listed separately. Any other program may start what its words name (`some-wrapper rm x`), so the words of the rule
 * may appear anywhere among its words, also apart from each other (`some-wrapper -x git -C dir push`), or in a text.
 */
function mayRun(command: ShellCommand, rule: readonly RuleWord[]): boolean {
  const { words, assigns, meaning } = command;
  if (fits(words, rule) || namesSubcommand(command, rule)) return true;
  if (words.length === 0 || meaning?.reads) return false;
  // `CC=rm make`: any variable may tell a program what to run.
  if (assigns.some(({ value }) => mentions(value, rule))) return true;
  const passed = meaning === null ? words : meaning.passes;
  if (passed.length === 0) return false;
  return (
    fits(passed.flatMap(withOptionValue), loosened(rule)) ||
    isText(passed, command, rule) ||
    (command.codes ?? []).some((code) => codeMayRun(code, rule))
  );
}

/** Whether a text would run what a rule names if it were code for a shell, or hands code to something that runs it. */
function codeMayRun(code: ShellScript, rule: readonly RuleWord[]): boolean {
  if (code.commands.length === 0 && code.unknown !== null && !code.unread) return true;
  return everyCommand(code).some((command) => {
    const [name, ...words] = command.words;
    const isRunner = typeof name === 'string' && RUNS_CODE.test(programName(name));
    if (isRunner && (command.meaning?.doubt || (command.runs !== null && whyUnknown(command.runs) !== null)))
      return true;
    // A star alone stands between numbers more often than for names of programs.
    const named = [
      ...(name === undefined ? [] : [name]),
      ...words.filter((word) => typeof word === 'string' || hasLetter(word)),
    ];
    return mayRun({ ...command, words: named }, rule);
  });
}

const RUNS_CODE =
  /^(?:eval|exec|env|xargs|sh|bash|dash|zsh|ksh|fish|busybox|perl|python[\d.]*|node|ruby|php|lua|awk|gawk|mawk|sed|tclsh|base64|xxd)$/;

function hasLetter(word: Word): boolean {
  return partsOf(word).some((part) => typeof part === 'string' && /\w/.test(part));
}

/** Options may stand between the words of a program and its subcommands: `git -C dir push`. */
function namesSubcommand({ words, meaning }: ShellCommand, rule: readonly RuleWord[]): boolean {
  const [name] = words;
  if (meaning === null || name === undefined || rule.length < 2 || rule.at(-1) !== ANY_WORDS) return false;
  const [program, ...more] = rule;
  if (program === undefined || program === ANY_WORDS || !mayName(name, program)) return false;
  return fits(words.slice(1), [ANY_WORDS, ...loosened(more)], 'any place');
}

/** A prefix rule may be spread over the words of a wrapper; other rules must match them from some word to the end. */
function loosened(rule: readonly RuleWord[]): RuleWord[] {
  return rule.at(-1) === ANY_WORDS ? rule.flatMap((word): RuleWord[] => [ANY_WORDS, word]) : [ANY_WORDS, ...rule];
}

/** The value of an option may also be the name of a program: `--pre=rm`, `-Prm`. */
function withOptionValue(word: Word): Word[] {
  if (typeof word === 'string') {
    const [, value] = /^(?:--?[^=]*=|-\w)(.+)$/s.exec(word) ?? [];
    return value === undefined ? [word] : [word, value];
  }
  const [start, ...parts] = word.parts;
  return typeof start === 'string' && /^-.*=$/s.test(start) ? [word, { ...word, parts }] : [word];
}

/**
 * Whether words could turn out to be what a rule names. The first word of the rule is a program, compared by base name,
 * unless the rule may begin at any place. Filled from the end: `row[j]` says whether the words from here on match the
 * rule from j on.
 */
function fits(words: readonly Word[], rule: readonly RuleWord[], where?: 'any place'): boolean {
  const program = where === undefined ? rule.findIndex((wanted) => wanted !== ANY_WORDS) : -1;
  const isWanted = (word: Word, at: number) => {
    const wanted = rule[at];
    if (wanted === undefined || wanted === ANY_WORDS) return false;
    return at === program ? mayName(word, wanted) : patternsMeet(partsOf(word), wanted);
  };
  // Most commands differ in their first word already.
  const [first] = words;
  if (rule[0] !== ANY_WORDS && typeof first === 'string' && !isWanted(first, 0)) return false;
  let row: boolean[] = [];
  for (let i = words.length; i >= 0; i--) {
    const word = words[i];
    const after = row;
    row = [];
    for (let j = rule.length; j >= 0; j--) {
      const isMany = typeof word === 'object' && word.many;
      if (rule[j] === ANY_WORDS) row[j] = row[j + 1] === true || after[j] === true;
      else if (word === undefined) row[j] = j === rule.length;
      // A word that may expand to none can be skipped; one that may expand to several can also continue.
      else if (isMany && after[j]) row[j] = true;
      else row[j] = isWanted(word, j) && (after[j + 1] === true || (isMany && row[j + 1] === true));
    }
  }
  return row[0] === true;
}

function partsOf(word: Word): readonly Part[] {
  return typeof word === 'string' ? [word] : word.parts;
}

function mayName(word: Word, wanted: readonly Part[]): boolean {
  const [name, ...more] = wanted;
  if (typeof name === 'string' && more.length === 0) return mayNameProgram(word, name);
  const parts = typeof word === 'string' ? [programName(word)] : word.parts;
  return patternsMeet(parts, wanted) || patternsMeet(parts, [{ any: 'text' }, '/', ...wanted]);
}

/** Whether a text in one word (`some-runner "rm x"`), or the input, mentions what a rule names. */
function isText(
  passed: readonly Word[],
  { meaning, input, fed = [] }: ShellCommand,
  rule: readonly RuleWord[],
): boolean {
  const texts = asOne([...passed, ...(meaning === null ? [...(input === undefined ? [] : [input]), ...fed] : [])]);
  return texts.some((word) => {
    const parts = partsOf(word).filter((part) => typeof part === 'string');
    if (meaning === null && parts.some((part) => STARTS_PROGRAMS.test(part))) return true;
    return parts.some((part) => CODE.test(part)) && mentions(word, rule);
  });
}

/** Very many words are searched as one text: that takes time once, and finds no less. */
function asOne(words: readonly Word[]): readonly Word[] {
  return words.length <= MAX_APART
    ? words
    : [
        words
          .flatMap(partsOf)
          .filter((part) => typeof part === 'string')
          .join('\n'),
      ];
}

const MAX_APART = 50;

/** Code in some language that starts programs by names which it may put together, or for a shell that does. */
const STARTS_PROGRAMS =
  /\$\((?!\()|(?:^|[^\w-])(?:system|exec(?:[lv]p?e?|file|filesync|sync|ute)?|popen\w*|spawn(?:sync|[lv]p?e?)?|eval|syscall|shell_exec|passthru|proc_open|__import__|getattr|processbuilder|getruntime|subprocess(?:\.\w+)?)\(/i;
const CODE = /[\s;&|(!]/;

/** Names in a text, also those that a shell or another language would put together of pieces: `to''uch`, `"to" + "uch"`, `to$x`. */
function mentions(code: Word, rule: readonly RuleWord[]): boolean {
  const text = partsOf(code)
    .filter((part) => typeof part === 'string')
    .join(' ')
    .toLowerCase();
  const joined = text.replaceAll(/["'`]\s*[.+~]{1,2}\s*["'`]|["']\s+["']|["'`\\]/g, '');
  const names = new Set([text, joined].flatMap((each) => each.split(/[^\w.-]+/)));
  const unquoted = text.replaceAll(/["'\\]/g, '');
  const pieces = [joined, unquoted]
    .flatMap((each) => [...each.matchAll(PIECES)])
    .map(([piece]) => ({ parts: partsOfPiece(piece), many: false }));
  return rule.every(
    (wanted) =>
      wanted === ANY_WORDS ||
      [...names].some((name) => mayName(name, wanted)) ||
      pieces.some((each) => mayName(each, wanted)),
  );
}

/** A name of which a shell fills in a part: letters next to a variable, a substitution or a pattern. */
const GAP = /\$\{[^{}]*\}|\$\([^()]*\)|\$(?:\w+|[@*#?!-])|`[^`\n]*`|[?*]|\[[^[\]\s]*\]|\{[^{}\s]*,[^{}\s]*\}/;
const PIECES = new RegExp(`[\\w./-]+(?:${GAP.source})[\\w.-]*|(?:${GAP.source})[\\w.-]+|(?:\`[^\`\\n]*\`){2,}`, 'g');

function partsOfPiece(piece: string): Part[] {
  return piece
    .split(new RegExp(`(${GAP.source})`))
    .map((text): Part => (/^[?*[]/.test(text) && GAP.test(text) ? { any: 'name' } : GAP.test(text) ? ANY_TEXT : text))
    .filter((part) => part !== '');
}
