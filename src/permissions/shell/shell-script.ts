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
  /** Set when the command runs in a directory of its own: relative paths could be anywhere. */
  readonly elsewhere?: true;
}

export interface ShellCommand extends SimpleCommand {
  /**
   * The script that the command starts by its own words, such as the `rm x` of `sudo rm x`; null when it is not known
   * to start anything.
   */
  readonly runs: ShellScript | null;
}

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
}

export type Part = string | Gap;

/** A placeholder for any one character, any part of a file name, any text at all, or the home directory. */
export interface Gap {
  readonly any: 'char' | 'name' | 'text' | 'home';
}

export const ANY_TEXT: Gap = { any: 'text' };
export const ANYTHING: OpenWord = { parts: [ANY_TEXT], many: true };

export const NOTHING: ShellScript = { commands: [], redirects: [], unknown: null, ordered: true };

export function notStatic(unknown: string): ShellScript {
  return { ...NOTHING, unknown };
}

export function notRead(unknown: string): ShellScript {
  return { ...notStatic(unknown), unread: true };
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
  for (const { runs } of script.commands) {
    const why = runs === null ? null : whyUnknown(runs);
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
