import { BUILTINS } from './builtins.ts';
import { startedByGit } from './git-commands.ts';
import type { Within } from './inner-code.ts';
import { shellBehind, startedByInterpreter, startedByShell } from './interpreters.ts';
import { programName } from './program-patterns.ts';
import { DATA_PROGRAMS, INTERPRETERS, programBase, SHELLS } from './programs.ts';
import type { ShellScript, SimpleCommand } from './shell-script.ts';
import { WRAPPERS } from './wrappers.ts';

/**
 * The script that a command starts by its own words: the command after a wrapper, or the code given to a shell. Null
 * when the command is not known to start anything; an unknown program may still start something, so rules look at its
 * words, too.
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
