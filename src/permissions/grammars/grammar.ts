import type { ShellScript, SimpleCommand, Word } from '../shell/shell-script.ts';

/**
 * What a program does with its words, as its manual tells. A program with a grammar is *known* only if each of its words
 * is in that grammar; a word that is not makes the whole command unknown.
 */
export type Grammar = TableGrammar | CustomGrammar;

interface Named {
  /** The programs that read their words in this way, separated by blanks. */
  names: string;
}

export interface TableGrammar extends Named {
  /**
   * The options, separated by blanks: the names of one option (`n,lines`), `=role` where it takes a value, `=?role` where
   * the value may be left out and is never the next word. `!` in front: the option exists and is never known. `^` at the
   * end: with it the program does more than reading.
   */
  options?: string;
  /** The roles of the operands, in order; one of them may end in `*` and stand for any number. */
  operands?: string | ((argv: Argv) => string);
  /** Options end at the first operand. Otherwise they may stand anywhere before `--`, as with GNU's getopt. */
  optionsFirst?: true;
  /** Long options cannot be abbreviated. */
  exact?: true;
  /** Long options begin with one dash, and short ones are not bundled: `java -jar`. */
  oneDash?: true;
  /** Takes `-5`, and `+5` where the letters say so. */
  counts?: '-' | '-+';
  /** With these options and files it does nothing but read the files, and what is on its input. */
  reads?: true;
  /**
   * The most that a word of which the value is not known can do to this program, whatever option it turns out to be.
   * Absent: such a word may start a program, so the command is not known.
   */
  open?: 'nothing' | 'read' | 'write';
  /** What the tables cannot say: further files, code, reasons for doubt. */
  more?: (argv: Argv, found: Findings) => void;
}

export interface CustomGrammar extends Named {
  read: (command: SimpleCommand, found: Findings) => void;
}

/**
 * What a word is to a program.
 *
 * text: nothing is opened or started by it. in, out, edit: a file that is read, written, or both. tree: a directory
 * that is read with everything below it. taken: a path that is changed with everything below it. at: the directory in
 * which the rest is done. script: a file that is run. sh: code for a shell. lang: code in a language that is not read.
 * argv: from here on the words are a command that is started. any: a word for code that is not read. never: such a word
 * makes the command unknown.
 */
export const ROLES = [
  'text',
  'in',
  'out',
  'edit',
  'tree',
  'taken',
  'at',
  'script',
  'sh',
  'lang',
  'argv',
  'any',
  'never',
] as const;
export type Role = (typeof ROLES)[number];

/** The words of a command, told apart by the table of its program. */
export interface Argv {
  /** Each option that was given, under the first of its names, with its value. */
  readonly given: readonly OptionUse[];
  readonly operands: readonly Word[];
  /** The operands after `--`; null when there is none. */
  readonly afterDashes: readonly Word[] | null;
  /** Words of which the value is not known and that may be options. */
  readonly open: readonly Word[];
  has(...names: string[]): boolean;
  /** The value that counts where an option is repeated: the last. */
  value(name: string): Word | undefined;
}

export interface OptionUse {
  readonly name: string;
  readonly role: Role;
  readonly changes: boolean;
  readonly value: Word | undefined;
}

/** Collects what the words of one command mean. */
export interface Findings {
  /** The name under which the program was started, without directory and version. */
  readonly program: string;
  readonly command: SimpleCommand;
  /** A file or directory by its role. `-` is the input or output, no file. */
  file(word: Word, role: Role): void;
  /** What the words say cannot be told; the first reason counts. */
  doubt(why: string): void;
  /** It does more than reading. */
  changes(): void;
  /** A command that is started. */
  starts(words: readonly Word[], more?: StartedMore): void;
  /** Code that `sh -c` would run. */
  code(text: Word | undefined): void;
  /** Words that go to code that is not known, or name programs that are carried elsewhere. */
  passes(words: readonly Word[]): void;
  /** A script that was read already. */
  runs(script: ShellScript | null): void;
  /** A variable that is set for what follows, to any value if none is given. */
  sets(name: string, value?: Word): void;
  /** Reads words by a table, such as those after a subcommand. */
  readBy(grammar: TableGrammar, words: readonly Word[]): void;
  /** Relative paths are taken from another directory. */
  elsewhere(): void;
  /** Whether this is one of the words. */
  isWord(text: string): boolean;
  /** Any file of the repository that the command works in. */
  repository(access: 'read' | 'write' | 'read tracked'): void;
}

/** What else is known about a command that is started: the variables set for it, and that it runs elsewhere. */
export type StartedMore = Partial<Pick<SimpleCommand, 'elsewhere' | 'assigns' | 'from'>>;

/** How the code that a command starts is read in turn. */
export interface Within {
  text(text: string): ShellScript;
  /** Reads a text that may be code, or anything else. */
  guess(text: string): ShellScript;
  words(words: readonly Word[], more?: StartedMore): ShellScript;
}

/** Programs that are never known with other words than these: they run what their words, files or input say. */
export function neverKnown(names: string, why: string): CustomGrammar {
  return {
    names,
    read: ({ words }, found) => {
      const [only, ...others] = words;
      const isQuestion = others.length === 0 && typeof only === 'string' && /^(?:--version|--help|-V)$/.test(only);
      if (!isQuestion) found.doubt(why);
    },
  };
}

/** Programs to which all words are text: they open and start nothing by them. */
export function onlyText(names: string, more: Pick<TableGrammar, 'reads'> = {}): CustomGrammar {
  return {
    names,
    read: (_command, found) => {
      if (!more.reads) found.changes();
    },
  };
}
