import { createGrammars, type Grammars } from '../grammars/all-grammars.ts';
import { readPlain } from '../shell/plain-words.ts';
import { programName } from '../shell/program-patterns.ts';
import {
  everyCommand,
  everyRedirect,
  joinedScripts,
  notRead,
  notStatic,
  type ParsedScript,
  type ParseShell,
  type Redirect,
  type ShellCommand,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from '../shell/shell-script.ts';
import { textsPrinted } from '../shell/simple-commands.ts';
import { holdsCommand, isActedOn } from '../shell/variables.ts';
import { meaningOf } from './command-meaning.ts';
import { withFedTexts } from './fed-texts.ts';

/** The parser comes through the same door as the grammars. */
export { loadShellParser } from '../shell/shell-parser.ts';

/** Reads command lines. It remembers nothing but the tables of programs that it has met. */
export type ShellReading = (text: string, parse: ParseShell | null) => ShellScript;

/**
 * Makes the function that reads a command line and all code in it that shells would run. Without a parser only plain
 * texts are understood (see `plain-words.ts`); any other counts as unknown, and `needsParser` tells these apart.
 */
export function createShellReading(): ShellReading {
  const grammars = createGrammars();
  return (text, parse) => {
    const script = readText(text, { parse, grammars, depth: 0, codes: { left: MAX_CODES } });
    const doubt = script.unknown ?? doubtAboutAll(script);
    return doubt === script.unknown ? script : { ...script, unknown: doubt };
  };
}

/** Reads one command line. A caller that reads several makes the function once. */
export function readShell(text: string, parse: ParseShell | null): ShellScript {
  return createShellReading()(text, parse);
}

/** Whether a parser could tell more about a script that was read without one. */
export function needsParser(script: ShellScript): boolean {
  return (
    script.unknown === NOT_PLAIN ||
    script.commands.some(({ runs, codes = [] }) => [...(runs === null ? [] : [runs]), ...codes].some(needsParser))
  );
}

const NOT_PLAIN = 'the command is not a plain sequence of commands, so what it would run cannot be told';
/** More than bash takes in one argument. */
const MAX_LENGTH = 128 * 1024;
const MAX_DEPTH = 20;
/** Each is compared with each rule, and nothing else runs meanwhile. */
const MAX_WORDS = 6000;
/** Comparing a word of patterns and variables with the patterns of a rule costs many times as much. */
const MAX_OPEN_WORDS = 1000;

interface Reading {
  parse: ParseShell | null;
  grammars: Grammars;
  depth: number;
  /** How many more texts are read as if they were code. */
  codes: { left: number };
}

/** Texts for programs without a grammar; each takes as long as a command line. */
const MAX_CODES = 200;

function readText(text: string, { parse, grammars, depth, codes }: Reading): ShellScript {
  if (text.length > MAX_LENGTH) return notRead('the command is too long to be understood');
  if (depth > MAX_DEPTH) return notRead('code in it is nested too deep');
  if (text.trim() === '') return notStatic('there is no command in it');
  const read = plain(text) ?? (parse === null ? notRead(NOT_PLAIN) : parse(text));
  if (read === null) return notRead('the command cannot be read as a shell would read it');
  const parsed = withFedTexts(read);
  const words = parsed.commands.flatMap((command) => command.words);
  const open = words.filter((word) => typeof word !== 'string');
  if (words.length > MAX_WORDS || open.length > MAX_OPEN_WORDS)
    return notRead('the command has too many words to be understood');
  const next = { parse, grammars, depth: depth + 1, codes };
  const commands = parsed.commands.map((command) => started(command, next));
  return { ...parsed, commands, unknown: parsed.unknown ?? doubtAbout(commands) ?? doubtAboutFiles(parsed.redirects) };
}

function longestRun(flags: readonly boolean[]): number {
  let [run, longest] = [0, 0];
  for (const flag of flags) {
    run = flag ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** What one command prints may reach all that follow. */
const MAX_PIPES = 50;

function plain(text: string): ParsedScript | null {
  const found = readPlain(text);
  if (found === null) return null;
  if (longestRun(found.piped) > MAX_PIPES)
    return { ...notRead('a pipe in it is too long to be understood'), commands: [] };
  const commands: SimpleCommand[] = [];
  for (const [at, words] of found.commands.entries()) {
    const fed = commands.slice(at - 1).flatMap((before) => (found.piped[at] ? textsPrinted(before) : []));
    const from = found.piped[at] ? commands[at - 1] : undefined;
    commands.push({ words, assigns: [], ...(fed.length > 0 && { fed }), ...(from !== undefined && { from }) });
  }
  return { commands, redirects: [], unknown: null, ordered: found.ordered };
}

function started(command: SimpleCommand, reading: Reading): ShellCommand {
  const more = meaningOf(command, reading.grammars, {
    text: (text) => readText(text, reading),
    guess: (text) =>
      reading.codes.left-- > 0 ? readText(text, reading) : notStatic('it has too many texts that may be code'),
    words: (words, more) => {
      if (reading.depth > MAX_DEPTH) return notRead('code in it is nested too deep');
      const inner = started({ ...command, words, assigns: [], ...more }, { ...reading, depth: reading.depth + 1 });
      return { commands: [inner], redirects: [], unknown: doubtAbout([inner]), ordered: true };
    },
  });
  return withCommandsIn({ ...command, ...more }, reading);
}

/** `CC=gcc make`: what the variable holds is started. */
function withCommandsIn(command: ShellCommand, reading: Reading): ShellCommand {
  const held = [...command.assigns, ...(command.sets ?? [])].flatMap(({ name, value }) => {
    if (!holdsCommand(name) || value === '') return [];
    return typeof value === 'string' ? [readText(value, reading)] : [notStatic(acted(name))];
  });
  return held.length === 0
    ? command
    : { ...command, runs: joinedScripts([...held, ...(command.runs ? [command.runs] : [])]) };
}

function doubtAbout(commands: readonly ShellCommand[]): string | null {
  for (const { words, assigns, sets } of commands) {
    if (words[0] !== undefined && typeof words[0] !== 'string') return 'the name of a program is not known beforehand';
    if (words.length === 0 || sets !== undefined) continue;
    for (const { name, value } of assigns) if (isActedOn(name, value)) return acted(name);
  }
  return null;
}

function acted(name: string): string {
  return `it sets ${name}, which programs act on`;
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

/** What only the whole script can show. */
function doubtAboutAll(script: ShellScript): string | null {
  const commands = everyCommand(script);
  return doubtAboutVariables(commands) ?? (runsWhatItWrites(script, commands) ? 'it writes a file and runs it' : null);
}

/** A variable that programs act on concerns all other commands of the shell, before and after: there are loops. */
function doubtAboutVariables(commands: readonly ShellCommand[]): string | null {
  const setting = commands.filter(({ words, assigns, sets }) =>
    words.length === 0 ? assigns.length > 0 : sets !== undefined,
  );
  const isLast = commands.length === setting.length;
  if (isLast) return null;
  for (const { assigns, sets } of setting) {
    for (const { name, value } of sets ?? assigns) if (isActedOn(name, value)) return acted(name);
  }
  return null;
}

/** Files that tell a program what to run when it is started in their directory. */
const CONFIGURES =
  /^(?:(?:gnu)?makefile|.*\.mk|package(?:-lock)?\.json|\.npmrc|\.yarnrc(?:\.yml)?|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.properties|pom\.xml|build\.xml|cmakelists\.txt|.*\.cmake|meson\.build|build\.ninja|cargo\.toml|build\.rs|go\.mod|setup\.(?:py|cfg)|pyproject\.toml|conftest\.py|tox\.ini|noxfile\.py|pytest\.ini|sitecustomize\.py|usercustomize\.py|rakefile|gemfile|.*\.gemspec|justfile|taskfile\.ya?ml|(?:docker-)?compose\.ya?ml|dockerfile|composer\.json|.*\.config\.[cm]?[jt]s|\.(?:eslint|babel|prettier|mocha|swc|nyc)rc.*|tsconfig.*\.json|\.envrc|\.env|\.pre-commit-config\.yaml|\.git(?:config|attributes|modules)|config|\.bash(?:rc|_profile)|\.profile|\.zsh.*|\.(?:vim|nano|screen|inputrc|wget|curl|lynx|my|psql|gdbinit)rc?|\.tmux\.conf|wscript|sconstruct|vagrantfile|procfile|hooks|(?:pre|post|prepare)-[a-z-]+|(?:applypatch|commit)-msg|update|proc-receive|reference-transaction|push-to-checkout|sendemail-validate|fsmonitor-watchman)$/;

/** A program that may be told by such a file what to run. */
function isConfigured({ words, meaning }: ShellCommand): boolean {
  if (words.length === 0 || meaning?.reads) return false;
  const plain =
    /^(?:cat|echo|printf|tee|cp|mv|ln|rm|mkdir|touch|chmod|chown|cd|pushd|popd|sed|export|set|read|test|\[|true|false|:|exit|kill|sleep|install|truncate|dd|trap|wait)$/;
  return !(typeof words[0] === 'string' && plain.test(programName(words[0])));
}

/** Programs that change a file without writing into it. */
const CHANGES_NO_CONTENT = /^(?:chmod|chown|chgrp|touch|rm|rmdir|mkdir|unlink)$/;

/** The written file may be named as a program or as the script of one. */
function runsWhatItWrites(script: ShellScript, commands: readonly ShellCommand[]): boolean {
  const files = commands.flatMap(({ meaning }) => meaning?.files ?? []);
  const written = [
    ...everyRedirect(script).flatMap(({ kind, target }) => (kind === 'write' ? [target] : [])),
    ...commands.flatMap(({ words: [name], meaning }) =>
      typeof name === 'string' && CHANGES_NO_CONTENT.test(name)
        ? []
        : (meaning?.files ?? []).flatMap(({ access, word }) => (access === 'write' ? [word] : [])),
    ),
  ];
  const names = new Set(written.flatMap((word) => (typeof word === 'string' ? programName(word) : [])));
  if (names.size === 0) return false;
  const isHook = written.some((word) => typeof word === 'string' && /(?:^|\/)\.(?:git|husky)\//i.test(word));
  const configures = isHook || [...names].some((name) => CONFIGURES.test(name));
  if (configures && commands.some(isConfigured)) return true;
  const run = files.flatMap(({ isRun, word }) => (isRun && typeof word === 'string' ? [word] : []));
  const started = commands.flatMap(({ words: [word] }) => (typeof word === 'string' ? [word] : []));
  if ([...run, ...started].some((word) => names.has(programName(word)))) return true;
  // `node x` runs x.js, or x/index.js; `python x` runs x/__main__.py.
  const stems = new Set(written.flatMap((word) => (typeof word === 'string' ? stemsOf(word) : [])));
  return run.some((word) => stems.has(programName(word.replace(/\/+$/, ''))));
}

/** The names by which an interpreter may find a file: without its ending, and those of the directories around it. */
function stemsOf(path: string): string[] {
  const names = path
    .toLowerCase()
    .split('/')
    .filter((name) => name !== '' && !/^\.+$/.test(name));
  const last = names.pop() ?? '';
  return [...names, last.replace(/\.[a-z]+$/, '')];
}
