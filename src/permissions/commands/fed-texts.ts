import { programName } from '../shell/program-patterns.ts';
import type { ParsedScript, SimpleCommand, Word } from '../shell/shell-script.ts';
import { textsPrinted } from '../shell/simple-commands.ts';

/**
 * Adds to each command the texts that reach it through a file: another command of the line prints them into a file that it
 * names, or into a pipe that stands for one (`tool <(echo x)`). What comes through `|` the parser has added.
 */
export function withFedTexts(script: ParsedScript): ParsedScript {
  const written = new Set(
    script.redirects.flatMap(({ kind, target }) => (kind === 'write' ? [nameOf(target)] : [])).filter(Boolean),
  );
  const isFed = ({ words, input }: SimpleCommand) =>
    [...words.slice(1), ...(input === undefined ? [] : [input])].some(
      (word) => (typeof word === 'object' && word.pipe) || written.has(nameOf(word)),
    );
  const fed = script.commands.filter(isFed);
  if (fed.length === 0) return script;
  const texts = script.commands.flatMap(textsPrinted);
  if (fed.length * texts.length > MAX_TEXTS)
    return { ...script, unknown: 'too many of its commands read what others print' };
  return {
    ...script,
    commands: script.commands.map((command) =>
      isFed(command) ? { ...command, fed: [...(command.fed ?? []), ...texts] } : command,
    ),
  };
}

/** Each text is read for each command that gets it. */
const MAX_TEXTS = 300;

/** The name of a file in a word, also behind an option; empty for a word that is not known. */
function nameOf(word: Word): string {
  if (typeof word !== 'string') return '';
  return programName(word.replace(/^(?:[^=]*=|@)/s, ''));
}
