import { readOnlyPaths } from '../commands/read-only-commands.ts';
import { BUILTINS } from './builtins.ts';
import { mayNameProgram, patternsMeet, programName } from './program-patterns.ts';
import {
  CODE_RUNNERS,
  COMMAND_VARIABLES,
  DATA_PROGRAMS,
  programBase,
  SHELLS,
  SUBCOMMAND_PROGRAMS,
} from './programs.ts';
import {
  argvOf,
  everyCommand,
  type Part,
  type ShellCommand,
  type ShellScript,
  type Word,
  whyUnknown,
} from './shell-script.ts';
import { ANY_WORDS, type RuleWord, type ShellSpec } from './shell-spec.ts';
import { WRAPPERS } from './wrappers.ts';

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
 * Whether running a command may run what a rule names. Programs that only take data, and wrappers whose command is
 * listed separately, count only under their own name. Any other program may start what its words name (`unshare rm x`),
 * so the words of the rule may appear anywhere among its words, also apart from each other (`git -C dir push`).
 */
function mayRun(command: ShellCommand, rule: readonly RuleWord[]): boolean {
  const { words, assigns } = command;
  const told = assigns.flatMap(({ name, value }) => (COMMAND_VARIABLES.test(name) ? [value] : []));
  if (told.some((value) => mentions(value, rule))) return true;
  if (fits(words, rule)) return true;
  if (words.length === 0 || isUnderstood(command)) return false;
  // `CC=rm make`: any variable may tell a program what to run.
  if (assigns.some(({ value }) => typeof value === 'string' && fits(value.trim().split(/\s+/), rule))) return true;
  return fits(words.flatMap(withOptionValue), loosened(rule), subcommandOf(words)) || codeMentions(command, rule);
}

/** A prefix rule may be spread over the words of a wrapper; other rules must match them from some word to the end. */
function loosened(rule: readonly RuleWord[]): RuleWord[] {
  return rule.at(-1) === ANY_WORDS ? rule.flatMap((word): RuleWord[] => [ANY_WORDS, word]) : [ANY_WORDS, ...rule];
}

function isUnderstood({ words, runs }: ShellCommand): boolean {
  const [name] = words;
  if (typeof name !== 'string') return false;
  const program = programName(name);
  if (DATA_PROGRAMS.has(program)) return true;
  const argv = argvOf({ words });
  if (argv === null) return false;
  if (readOnlyPaths(argv) !== null || WRAPPERS.has(program) || BUILTINS.has(program)) return true;
  // A script may start any of its arguments; code is listed separately.
  return SHELLS.has(program) && runs !== null;
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

/** The `rm` of `git rm` or `docker rm` is not a program. */
function subcommandOf(words: readonly Word[]): Word | undefined {
  const [name] = words;
  if (typeof name !== 'string' || !SUBCOMMAND_PROGRAMS.has(programName(name))) return undefined;
  return words
    .slice(1)
    .find((word, at) => typeof word === 'string' && !word.startsWith('-') && !TAKES_VALUE.test(String(words[at])));
}

/** Options before the subcommand whose value may be a program. */
const TAKES_VALUE = /^(?:-[cC]|--[\w-]*(?:shell|editor|pager|viewer|browser|command|exec))$/;

/**
 * Whether words could turn out to be what a rule names. The first word of the rule is a program, compared by base name,
 * and must not be the `subcommand` of another. Filled from the end: `row[j]` says whether the words from here on match
 * the rule from j on.
 */
function fits(words: readonly Word[], rule: readonly RuleWord[], subcommand?: Word): boolean {
  const program = rule.findIndex((wanted) => wanted !== ANY_WORDS);
  const isWanted = (word: Word, at: number) => {
    const wanted = rule[at];
    if (wanted === undefined || wanted === ANY_WORDS) return false;
    return at === program ? word !== subcommand && mayName(word, wanted) : patternsMeet(partsOf(word), wanted);
  };
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

/**
 * Whether code in one word (`python -c "…"`), or in the input, mentions what a rule names. A commit message is not
 * code.
 */
function codeMentions({ words, input }: ShellCommand, rule: readonly RuleWord[]): boolean {
  const isRunner = (word: Word) => typeof word === 'string' && CODE_RUNNERS.has(programBase(programName(word)));
  if (!words.some(isRunner)) return false;
  const isGit = words[0] !== undefined && mayNameProgram(words[0], 'git');
  const subcommand = subcommandOf(words);
  const code = words.filter((word, at) => word !== subcommand && !(isGit && isMessage(word, words[at - 1])));
  return [...code, ...(input === undefined ? [] : [input])].some((text) => mentions(text, rule));
}

function isMessage(word: Word, before: Word | undefined): boolean {
  const isOption = typeof before === 'string' && /^(?:-m|-am|--message)$/.test(before);
  return isOption || (typeof word === 'string' && /^(?:-m|--message)/.test(word));
}

function mentions(code: Word, rule: readonly RuleWord[]): boolean {
  const text = partsOf(code)
    .filter((part) => typeof part === 'string')
    .join(' ');
  const names = text.toLowerCase().split(/[^\w.-]+/);
  return rule.every((wanted) => wanted === ANY_WORDS || names.some((name) => mayName(name, wanted)));
}
