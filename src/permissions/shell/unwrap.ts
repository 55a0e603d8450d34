import { BUILTINS } from './shell-builtins.ts';
import { startedByGit } from './shell-git.ts';
import { shellBehind, startedByInterpreter, startedByShell } from './shell-interpreters.ts';
import { programName } from './shell-pattern.ts';
import { DATA_PROGRAMS, INTERPRETERS, programBase, SHELLS } from './shell-programs.ts';
import type { ShellScript, SimpleCommand } from './shell-script.ts';
import type { Within } from './shell-within.ts';
import { WRAPPERS } from './shell-wrappers.ts';

/**
 * What a command starts by its own words: the command behind a wrapper, the code given to a shell. Null when it is not
 * known to start anything; a program that is not known here may still do so, so rules look at the words of those, too.
 */
export function unwrap(command: SimpleCommand, within: Within): ShellScript | null {
  const [name, ...words] = command.words;
  if (typeof name !== 'string') return null;
  const program = programName(name);
  const starts = BUILTINS.get(program) ?? WRAPPERS.get(program);
  const rest = { ...command, words };
  if (starts !== undefined) return starts(rest, within);
  if (SHELLS.has(program)) return startedByShell(program, rest, within);
  if (program === 'git') return startedByGit(rest, within);
  if (INTERPRETERS.has(programBase(program))) return startedByInterpreter(program, rest);
  return DATA_PROGRAMS.has(program) ? null : shellBehind(rest, within);
}
