import type { Grammars } from '../grammars/all-grammars.ts';
import type { Within } from '../grammars/grammar.ts';
import { interpret } from '../grammars/interpret.ts';
import { programName } from '../shell/program-patterns.ts';
import type { ShellCommand, ShellScript, SimpleCommand, Word } from '../shell/shell-script.ts';

/**
 * What a command means to its program, and the script that it starts by its own words. A program without a grammar may
 * start something, too: rules look at its words, and a shell with code among them counts as started
 * (`some-wrapper sh -c …`).
 */
export function meaningOf(
  command: SimpleCommand,
  grammars: Grammars,
  within: Within,
): Pick<ShellCommand, 'meaning' | 'runs' | 'sets' | 'codes'> {
  const [name, ...words] = command.words;
  if (typeof name !== 'string') return { meaning: null, runs: null };
  const found = grammars.find(programName(name));
  const rest = { ...command, words };
  if (found === undefined) {
    const codes = codesIn(rest, within);
    return { meaning: null, runs: shellBehind(rest, grammars, within), ...(codes.length > 0 && { codes }) };
  }
  const { meaning, runs, sets } = interpret(rest, found.program, found.grammar, grammars.options, within);
  const more = { runs, ...(sets.length > 0 && { sets }) };
  if (!isStandard(name))
    return { ...more, meaning: { ...meaning, reads: false, passes: [...meaning.passes, ...words] } };
  // Only what the shell finds by a plain name is certainly that program.
  return {
    ...more,
    meaning:
      name.includes('/') || name !== found.program
        ? { ...meaning, reads: meaning.reads && isVersioned(name, found.program) }
        : meaning,
  };
}

/** A program of this name in any other place may be another one. */
function isStandard(name: string): boolean {
  return !name.includes('/') || /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/.test(name) || /^\/lib\w*\//.test(name);
}

function isVersioned(name: string, program: string): boolean {
  return name.startsWith(program) && /^[\d.]*$/.test(name.slice(program.length));
}

/** Any program may start others: a shell with code among its words counts as started (`some-wrapper sh -c …`). */
function shellBehind({ words }: SimpleCommand, grammars: Grammars, within: Within): ShellScript | null {
  const isShell = (word: Word) =>
    typeof word === 'string' && SHELL_NAMES.test(grammars.find(programName(word))?.program ?? '');
  const at = words.findIndex((word, each) => isShell(word) && takesCode(words.slice(each + 1)));
  return at === -1 ? null : within.words(words.slice(at));
}

/** What shells would read in the texts that a program is given; texts that they could not read are left out. */
function codesIn({ words, input, fed = [] }: SimpleCommand, within: Within): ShellScript[] {
  const texts = [...words, ...(input === undefined ? [] : [input]), ...fed];
  return texts.flatMap((text) =>
    typeof text === 'string' && /[\s;&|(!]/.test(text) && text.length <= MAX_CODE && text.trim() !== ''
      ? [within.guess(text)]
      : [],
  );
}

/** Longer texts are data. */
const MAX_CODE = 8000;

const SHELL_NAMES = /^(?:sh|bash|dash|ash|rbash|zsh|ksh|mksh|fish|csh|tcsh|pwsh|elvish|nu)$/;

function takesCode(words: readonly Word[]): boolean {
  const operand = words.findIndex((word) => typeof word !== 'string' || !/^[-+]/.test(word));
  return words
    .slice(0, operand === -1 ? words.length : operand)
    .some((word) => typeof word === 'string' && /^-[a-zA-Z]*c/.test(word));
}
