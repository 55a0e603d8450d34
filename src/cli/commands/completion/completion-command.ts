import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import { parseCommandArgs, takeWords } from '../../flags/command-args.ts';
import { printHelp, printLines } from '../../terminal/terminal.ts';
import { isShell, SCRIPTS, SHELLS } from './shell-scripts.ts';
import { type Helps, type Suggested, suggest } from './suggest.ts';
import { valuesFor } from './value-sources.ts';

export const COMPLETION_HELP = `Usage: heddle completion bash
       heddle completion zsh
       heddle completion fish
       heddle completion words -- WORD…

Prints a script for a shell, which then completes commands, options with their values, sessions
(the newest first, with their titles), models, tasks, servers and settings. The script holds no
list of its own: it asks heddle, so an upgrade needs no new one.

  bash    in ~/.bashrc:   eval "$(heddle completion bash)"
  zsh     in ~/.zshrc:    source <(heddle completion zsh)      (after compinit)
  fish    in ~/.config/fish/config.fish:   heddle completion fish | source

words is what the scripts call: it prints what the last WORD can be, a line each, with a tab before
the description; :files or :directories where the shell knows better.

Examples:
  heddle completion bash >~/.local/share/bash-completion/completions/heddle
  heddle completion words -- sessions sh
`;

/** `heddle completion …`; resolves with the exit code. `helps`: the help texts, which are all that is completed from. */
export async function runCompletion(argv: readonly string[], helps: Helps): Promise<number> {
  const args = parseCommandArgs(argv, { command: 'heddle completion', own: {}, run: [] });
  if (!args) {
    printHelp(COMPLETION_HELP);
    return 0;
  }
  const [what = '', ...words] = args.words;
  if (what === 'words') {
    printLines(linesOf(await suggested(words.length === 0 ? [''] : words, helps), words.at(-1) ?? ''));
    return 0;
  }
  const [shell = ''] = takeWords(args.words, ['SHELL']);
  if (!isShell(shell)) {
    const known = [...SHELLS];
    throw usage(`there is no completion for '${printable(shell)}': use ${known.join(', ')}`, { unknown: shell, known });
  }
  process.stdout.write(SCRIPTS[shell]);
  return 0;
}

/** A shell shows no error in the middle of a line: what cannot be read is not offered. */
async function suggested(words: readonly string[], helps: Helps): Promise<Suggested> {
  const place = { words, env: process.env, cwd: process.cwd() };
  try {
    return await suggest(words, helps, (kind, written) => valuesFor(kind, written, place));
  } catch {
    return [];
  }
}

function linesOf(found: Suggested, written: string): string[] {
  if (typeof found === 'string') return [`:${found}`];
  return found
    .filter(({ value }) => value.startsWith(written) && isPlainWord(value))
    .map(({ value, text }) => (text === '' ? value : `${value}\t${printable(text)}`));
}

/**
 * Bash puts a word into the line as it is, and some names are those of a project's files or of a server: a name that a
 * shell would read as a command is not offered.
 */
function isPlainWord(value: string): boolean {
  return printable(value) === value && !/[\s"'`$&|;<>()*?{}\\!#]/.test(value);
}
