/**
 * A command line as the permission code sees it: every simple command that it could run, at any nesting. It does not
 * record which of them really run, how often or in which order: every command that may run counts.
 */
export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Files that the shell itself opens. */
  readonly redirects: readonly Redirect[];
  /** Why it cannot be determined what would run, as a clause; null when it can. */
  readonly unknown: string | null;
  /** Set when the text itself could not be parsed: the lists here are then incomplete. */
  readonly unread?: true;
  /** Set when the commands run one after the other as listed: no pipe, loop, function or background. */
  readonly ordered: boolean;
}

export interface SimpleCommand {
  /** The program and its arguments; empty for assignments alone. */
  readonly words: readonly Word[];
  readonly assigns: readonly Assignment[];
  /** The text that a here-document or here-string passes to it. */
  readonly input?: Word;
  /** Texts that other commands of the line print or write for it: through a pipe, or into a file that it names. */
  readonly fed?: readonly Word[];
  /** The one command whose output is its input. */
  readonly from?: SimpleCommand;
  /** It takes its input from a file or a text, not from a pipe. */
  readonly ownInput?: true;
  /** Set when the command runs in a directory of its own: relative paths could be anywhere. */
  readonly elsewhere?: true;
}

export interface ShellCommand extends SimpleCommand {
  /**
   * The script that the command starts by its own words, such as the `rm x` of `sudo rm x`; null when it is not known
   * to start anything.
   */
  readonly runs: ShellScript | null;
  /** What its words mean to the program; null for a program that is known by its name and words only. */
  readonly meaning: Meaning | null;
  /** Texts that a program without a grammar is given, as shells would read them if it took them for code. */
  readonly codes?: readonly ShellScript[];
  /** The variables that a builtin sets for what follows. */
  readonly sets?: readonly Assignment[];
}

/** What the words of a command mean to a program whose grammar is known. */
export interface Meaning {
  /** Why it cannot be told what the program would do, as a clause; null when each word is in its grammar. */
  readonly doubt: string | null;
  /** The files that its words name. */
  readonly files: readonly FileUse[];
  /** It does nothing but read these files: it starts nothing, writes nothing and changes no state of the shell. */
  readonly reads: boolean;
  /** Words that it hands on to code that is not known, or programs that it carries elsewhere: each may be started. */
  readonly passes: readonly Word[];
}

export interface FileUse {
  readonly word: Word;
  readonly access: 'read' | 'write';
  /** What lies below is touched as well: read one by one, or moved and removed along as a whole. */
  readonly reach?: 'below' | 'taken';
  /** The whole repository is meant, which may reach above the directory. */
  readonly repository?: true;
  /** Of the repository only the files that git tracks, as long as nothing else in the script changes what it tracks. */
  readonly tracked?: true;
  /** The file is run as code. */
  readonly isRun?: true;
  /** A relative path may be taken from any directory. */
  readonly elsewhere?: true;
}

/** The result of the parser for a source text, before the commands that its commands start are added. */
export type ParsedScript = Omit<ShellScript, 'commands'> & { readonly commands: readonly SimpleCommand[] };

/** Null for a text that is not bash, or that cannot be read with certainty. */
export type ParseShell = (text: string) => ParsedScript | null;

/** Reads a command line for permissions. Never rejects: a command that cannot be read counts as unknown. */
export type ReadCommand = (command: string) => Promise<ShellScript>;

export interface Redirect {
  readonly kind: 'read' | 'write';
  readonly target: Word;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** A text that is known beforehand, or the known parts of one that is not. */
export type Word = string | OpenWord;

export interface OpenWord {
  readonly parts: readonly Part[];
  /** It may become several words, or none. */
  readonly many: boolean;
  /** It is a pipe to or from commands that are listed on their own: `<(sort a)`. */
  readonly pipe?: true;
  /** Texts and patterns that it may become, or that a part of it may: what is known of it. */
  readonly hints?: readonly Word[];
  /** It comes from the output of a command. */
  readonly made?: true;
  /** Names that `from` lists: whole, or split at blanks. */
  readonly listed?: 'whole' | 'split';
  /** It is unknown only by variables that tell about the place, and about no one's secrets. */
  readonly told?: true;
}

export type Part = string | Gap;

/** A placeholder for any one character, any part of a file name, any text at all, or the home directory. */
export interface Gap {
  readonly any: 'char' | 'name' | 'text' | 'home';
}

export const ANY_TEXT: Gap = { any: 'text' };
export const ANYTHING: OpenWord = { parts: [ANY_TEXT], many: true };
export const PIPE: OpenWord = { parts: [ANY_TEXT], many: false, pipe: true };

export const NOTHING: ShellScript = { commands: [], redirects: [], unknown: null, ordered: true };

export function notStatic(unknown: string): ShellScript {
  return { ...NOTHING, unknown };
}

export function notRead(unknown: string): ShellScript {
  return { ...notStatic(unknown), unread: true };
}

/** Several scripts as one; null for none. */
export function joinedScripts(scripts: readonly ShellScript[]): ShellScript | null {
  const [only, ...others] = scripts;
  if (only === undefined || others.length === 0) return only ?? null;
  return {
    commands: scripts.flatMap(({ commands }) => commands),
    redirects: scripts.flatMap(({ redirects }) => redirects),
    unknown: scripts.find(({ unknown }) => unknown !== null)?.unknown ?? null,
    ...(scripts.some(({ unread }) => unread) && { unread: true as const }),
    ordered: false,
  };
}

/** Whether some part of it, at any depth, could not be parsed. */
export function isUnread(script: ShellScript): boolean {
  return script.unread === true || script.commands.some(({ runs }) => runs !== null && isUnread(runs));
}

/** All commands of a script, including those that other commands start. */
export function everyCommand(script: ShellScript): ShellCommand[] {
  return script.commands.flatMap((command) => [command, ...(command.runs === null ? [] : everyCommand(command.runs))]);
}

export function everyRedirect(script: ShellScript): Redirect[] {
  return [...script.redirects, ...script.commands.flatMap(({ runs }) => (runs === null ? [] : everyRedirect(runs)))];
}

/** The first reason, at any depth, why it cannot be determined what would run. */
export function whyUnknown(script: ShellScript): string | null {
  if (script.unknown !== null) return script.unknown;
  for (const { runs, meaning } of script.commands) {
    const why = meaning?.doubt ?? (runs === null ? null : whyUnknown(runs));
    if (why !== null) return why;
  }
  return null;
}

/** The same, apart from words that are not in the grammar of a program: a rule that allows the program may allow those. */
export function whyUnreadable(script: ShellScript): string | null {
  if (script.unknown !== null) return script.unknown;
  for (const { runs } of script.commands) {
    const why = runs === null ? null : whyUnreadable(runs);
    if (why !== null) return why;
  }
  return null;
}

/** The words as plain texts; null when one of them is not known beforehand. */
export function argvOf({ words }: Pick<SimpleCommand, 'words'>): string[] | null {
  const argv = words.filter((word) => typeof word === 'string');
  return argv.length === words.length ? argv : null;
}

/** Whether a word is open only because of a file pattern: it runs nothing and reads no variable. */
export function isGlob(word: OpenWord): boolean {
  return word.parts.every((part) => typeof part === 'string' || part.any === 'char' || part.any === 'name');
}
