import { readPlain } from './plain-words.ts';
import { programName } from './program-patterns.ts';
import { CODE_VARIABLES, COMMAND_VARIABLES, INTERPRETERS, programBase, SHELLS } from './programs.ts';
import {
  everyCommand,
  everyRedirect,
  notRead,
  notStatic,
  type Redirect,
  type ShellCommand,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from './shell-script.ts';
import { unwrap } from './unwrap.ts';

/** The result of the parser for a source text, before the commands that its commands start are added. */
export type ParsedScript = Omit<ShellScript, 'commands'> & { readonly commands: readonly SimpleCommand[] };

/** Null for a text that is not bash, or that cannot be read with certainty. */
export type ParseShell = (text: string) => ParsedScript | null;

/**
 * Reads a command line and all code in it that shells would run. Without a parser only plain texts are understood (see
 * `plain-words.ts`); any other counts as unknown, and `needsParser` tells these apart.
 */
export function readShell(text: string, parse: ParseShell | null): ShellScript {
  const script = readText(text, { parse, depth: 0 });
  return script.unknown === null && runsWhatItWrites(script)
    ? { ...script, unknown: 'it writes a file and runs it' }
    : script;
}

/** Whether a parser could tell more about a script that was read without one. */
export function needsParser(script: ShellScript): boolean {
  return script.unknown === NOT_PLAIN || script.commands.some(({ runs }) => runs !== null && needsParser(runs));
}

const NOT_PLAIN = 'the command is not a plain sequence of commands, so what it would run cannot be told';
/** More than bash takes in one argument. */
const MAX_LENGTH = 128 * 1024;
const MAX_DEPTH = 20;
/** Each is compared with each rule, and nothing else runs meanwhile. */
const MAX_WORDS = 6000;

interface Reading {
  parse: ParseShell | null;
  depth: number;
}

function readText(text: string, { parse, depth }: Reading): ShellScript {
  if (text.length > MAX_LENGTH) return notRead('the command is too long to be understood');
  if (depth > MAX_DEPTH) return notRead('code in it is nested too deep');
  if (text.trim() === '') return notStatic('there is no command in it');
  const parsed = plain(text) ?? (parse === null ? notRead(NOT_PLAIN) : parse(text));
  if (parsed === null) return notRead('the command cannot be read as a shell would read it');
  const words = parsed.commands.reduce((sum, command) => sum + command.words.length, 0);
  if (words > MAX_WORDS) return notRead('the command has too many words to be understood');
  const next = { parse, depth: depth + 1 };
  const commands = parsed.commands.map((command) => started(command, next));
  return { ...parsed, commands, unknown: parsed.unknown ?? doubtAbout(commands) ?? doubtAboutFiles(parsed.redirects) };
}

function plain(text: string): ParsedScript | null {
  const found = readPlain(text);
  if (found === null) return null;
  const commands = found.commands.map((words) => ({ words, assigns: [] }));
  return { commands, redirects: [], unknown: null, ordered: found.ordered };
}

function started(command: SimpleCommand, reading: Reading): ShellCommand {
  const runs = unwrap(command, {
    text: (text) => readText(text, reading),
    words: (words, more) => {
      if (reading.depth > MAX_DEPTH) return notRead('code in it is nested too deep');
      const inner = started({ ...command, words, assigns: [], ...more }, { ...reading, depth: reading.depth + 1 });
      return { commands: [inner], redirects: [], unknown: doubtAbout([inner]), ordered: true };
    },
  });
  return { ...command, runs };
}

function doubtAbout(commands: readonly SimpleCommand[]): string | null {
  for (const { words, assigns } of commands) {
    if (words[0] !== undefined && typeof words[0] !== 'string') return 'the name of a program is not known beforehand';
    for (const { name, value } of assigns) {
      const isOpen = typeof value !== 'string';
      if (CODE_VARIABLES.test(name) || (isOpen && COMMAND_VARIABLES.test(name)))
        return `it sets ${name}, which can run commands`;
    }
  }
  return null;
}

function doubtAboutFiles(redirects: readonly Redirect[]): string | null {
  return redirects.some(({ target }) => isOpenFile(target))
    ? 'it opens a file whose name is not known beforehand'
    : null;
}

/** A path below the home is known well enough. */
function isOpenFile(target: Word): boolean {
  if (typeof target === 'string') return false;
  const [first, ...rest] = target.parts;
  return typeof first !== 'object' || first.any !== 'home' || rest.some((part) => typeof part !== 'string');
}

/** The written file may be named as a program or as the script of one. */
function runsWhatItWrites(script: ShellScript): boolean {
  const commands = everyCommand(script);
  const written = [
    ...everyRedirect(script).flatMap(({ kind, target }) => (kind === 'write' ? [target] : [])),
    ...commands.flatMap(({ words: [name, ...args] }) => (name === 'tee' ? args : [])),
  ];
  const names = new Set(written.flatMap((word) => (typeof word === 'string' ? programName(word) : [])));
  const run = commands.flatMap(({ words }) => [words[0], scriptIn(words)]);
  return run.some((word) => typeof word === 'string' && names.has(programName(word)));
}

function scriptIn([name, ...args]: readonly Word[]): Word | undefined {
  if (typeof name !== 'string') return undefined;
  const program = programName(name);
  if (!SHELLS.has(program) && !INTERPRETERS.has(programBase(program))) return undefined;
  return args.find((arg) => typeof arg === 'string' && !arg.startsWith('-'));
}
