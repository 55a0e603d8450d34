import { plainArgv, plainSequence } from './plain-words.ts';
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

function globCommand(text: string): RuleWord[][] | null {
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

function allowsFrom([wanted, ...more]: readonly RuleWord[], words: readonly Word[]): boolean {
  const [word, ...rest] = words;
  if (wanted === undefined) return word === undefined;
  if (wanted !== ANY_WORDS) return typeof word === 'string' && matches(wanted, word) && allowsFrom(more, rest);
  if (more.length === 0) return words.every((each) => typeof each === 'string' || isGlob(each));
  return typeof word === 'string' && (allowsFrom(more, rest) || allowsFrom([wanted, ...more], rest));
}

function matches(wanted: readonly Part[], word: string): boolean {
  const source = wanted.map((part) => (typeof part === 'string' ? part.replaceAll(/[^\w]/g, '\\$&') : '.*')).join('');
  return new RegExp(`^${source}$`, 's').test(word);
}
