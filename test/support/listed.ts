import { patternsMeet } from '../../src/permissions/shell/program-patterns.ts';
import { everyCommand, type ShellScript, type Word } from '../../src/permissions/shell/shell-script.ts';

/** Commands that ran although the script, as it was read, does not list them. */
export function unlistedCommands(script: ShellScript, ran: readonly (readonly string[])[]): (readonly string[])[] {
  const listed = everyCommand(script);
  return ran.filter((argv) => !listed.some(({ words }) => mayBe(words, argv)));
}

function mayBe([word, ...more]: readonly Word[], argv: readonly string[]): boolean {
  const [text, ...rest] = argv;
  if (word === undefined) return text === undefined;
  if (typeof word === 'string') return word === text && mayBe(more, rest);
  if (!word.many) return text !== undefined && patternsMeet(word.parts, [text]) && mayBe(more, rest);
  // It may be none, or go on with the next.
  return mayBe(more, argv) || (text !== undefined && mayBe([word, ...more], rest));
}
