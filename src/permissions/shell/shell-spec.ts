import { plainArgv, plainSequence } from './plain-words.ts';
import { fitsPieces, piecesOf } from './program-patterns.ts';
import { isGlob, type Part, type Word } from './shell-script.ts';

/** The parsed content of `Bash(…)`. */
export interface ShellSpec {
  readonly text: string;
  /** The simple commands that it names; null when this version cannot determine them. */
  readonly commands: readonly RuleWord[][] | null;
}

/** One word, perhaps with wildcards in it, or any number of words. */
export type RuleWord = readonly Part[] | typeof ANY_WORDS;

export const ANY_WORDS = 'any words';

/**
 * `git commit:*` and `git commit *` mean these words, then anything; `npm test` means this command and no other;
 * wildcards elsewhere stand for any text in a word, or for any words.
 *
 * `reading` says which way to err with a command that is more than plain words. `allow`: it means its own text and
 * nothing else. `forbid`: it means everything that begins with that text.
 */
export function shellSpec(text: string, reading: 'forbid' | 'allow'): ShellSpec {
  const prefix = PREFIX.exec(text)?.[1];
  const start = prefix === undefined || prefix.includes('*') ? null : plainArgv(prefix);
  if (start !== null) return { text, commands: [[...start.map(literal), ANY_WORDS]] };
  if (text.includes('*')) return { text, commands: globCommand(text) };
  const plain = plainSequence(text);
  if (plain !== null) return { text, commands: plain.map((argv) => argv.map(literal)) };
  return { text, commands: reading === 'allow' ? [] : beginning(text) };
}

const PREFIX = /^(.+?)(?::\*| \*)$/s;

function beginning(text: string): RuleWord[][] | null {
  const words = text.trim().split(/\s+/);
  const end = words.findIndex((word) => !PLAIN_WORD.test(word));
  return end < 1 ? null : [[...words.slice(0, end).map(literal), ANY_WORDS]];
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

function literal(word: string): RuleWord {
  return [word];
}

/** More than anyone writes; a stranger's rule must not take long to compare. */
const MAX_STARS = 20;

function globCommand(text: string): RuleWord[][] | null {
  if (text.split('*').length > MAX_STARS) return null;
  const words = text.replace(/:\*$/, ' *').trim().split(/\s+/);
  if (!words.every((word) => /^[\w@%+=:,./*-]+$/.test(word))) return null;
  const rule = words.map((word): RuleWord => (/^\*+$/.test(word) ? ANY_WORDS : starred(word)));
  // `ls*` means `lsof` as well as `ls -l`.
  const goesOn = words.at(-1)?.endsWith('*') && rule.at(-1) !== ANY_WORDS;
  return rule.every((word) => word === ANY_WORDS) ? null : [goesOn ? [...rule, ANY_WORDS] : rule];
}

function starred(word: string): Part[] {
  return word.split(/\*+/).flatMap((piece, at): Part[] => (at === 0 ? [piece] : [{ any: 'text' }, piece]));
}

/** Whether an allow rule means this whole command text. An unknown command can match in no other way. */
export function allowsText({ text }: ShellSpec, command: string): boolean {
  return text.trim() === command.trim() && !PREFIX.test(text);
}

/** Whether an allow rule can mean any command in addition to its own text with the wildcards in it. */
export function canAllow({ text, commands }: ShellSpec): boolean {
  return !text.includes('*') || (commands?.length === 1 && isLiteral(commands[0]?.[0]));
}

/**
 * Whether an allow rule means this simple command. It compares word by word, so that `Bash(npm run test:*)` ends at a
 * word border. A file pattern matches the "anything" of a rule; a word that is not known beforehand never does.
 */
export function allowsWords({ commands }: ShellSpec, words: readonly Word[]): boolean {
  const [rule, ...others] = commands ?? [];
  if (rule === undefined || others.length > 0) return false;
  // A program name with a wildcard could be any program.
  return isLiteral(rule[0]) && allowsFrom(rule, words);
}

function isLiteral(word: RuleWord | undefined): boolean {
  return word !== undefined && word !== ANY_WORDS && word.length === 1;
}

/** Filled from the end: `row[i]` says whether the words from i on match the rule from here on. */
function allowsFrom(rule: readonly RuleWord[], words: readonly Word[]): boolean {
  if (rule.length * words.length > MAX_STEPS) return false;
  const isKnown = (word: Word | undefined) => typeof word === 'string' || (word !== undefined && isGlob(word));
  const firstOpen = words.findLastIndex((word) => !isKnown(word)) + 1;
  let row = [...words, undefined].map((_, at) => at === words.length);
  for (let at = rule.length - 1; at >= 0; at--) {
    const wanted = rule[at];
    const after = row;
    row = [];
    for (let i = words.length; i >= 0; i--) {
      const word = words[i];
      if (wanted === undefined || wanted === ANY_WORDS) {
        // At the end it means any words, or none, and file patterns too; elsewhere one word or more.
        const goesOn = typeof word === 'string' && (after[i + 1] === true || row[i + 1] === true);
        row[i] = at === rule.length - 1 ? i >= firstOpen : goesOn;
      } else row[i] = typeof word === 'string' && after[i + 1] === true && fitsPieces(piecesOf(wanted), word);
    }
  }
  return row[0] === true;
}

/** Far more than anyone writes. */
const MAX_STEPS = 500_000;
