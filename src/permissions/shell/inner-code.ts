import { argvOf, notStatic, type ShellScript, type SimpleCommand, type Word } from './shell-script.ts';

/** How the code that a command starts is read in turn. */
export interface Within {
  text(text: string): ShellScript;
  words(words: readonly Word[], more?: Pick<SimpleCommand, 'elsewhere'>): ShellScript;
}

/**
 * The script that a program or builtin starts by its own words; null when it starts nothing. The function gets the
 * command without the program's name.
 */
export type Starts = (command: SimpleCommand, within: Within) => ShellScript | null;

/** Code in one word. */
export function codeIn(word: Word | undefined, within: Within): ShellScript | null {
  if (word === undefined) return null;
  return typeof word === 'string' ? within.text(word) : notStatic('it runs code that is not known beforehand');
}

/** Code in several words, which are joined into one line. */
export function joinedCode(words: readonly Word[], within: Within): ShellScript | null {
  if (words.length === 0) return null;
  const argv = argvOf({ words });
  return argv === null ? notStatic('it runs code that is not known beforehand') : within.text(argv.join(' '));
}

export function unknowable(reason: string): Starts {
  return () => notStatic(reason);
}
