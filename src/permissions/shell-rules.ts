import { readOnlyPaths } from './read-only-commands.ts';
import { plainArgv, plainSequence } from './shell-words.ts';

/** What stands in `Bash(…)`, understood. */
export type ShellSpec =
  /** `Bash(git commit:*)` or `Bash(git commit *)`: these words, then anything. */
  | { kind: 'prefix'; words: string[] }
  /** `Bash(npm test)`: this command and no other. */
  | { kind: 'exact'; text: string; commands: string[][] | null }
  /** Wildcards elsewhere, or a prefix that is not plain words. */
  | { kind: 'unknown'; text: string };

export function shellSpec(text: string): ShellSpec {
  const prefix = /^(.+?)(?::\*| \*)$/s.exec(text)?.[1];
  if (prefix === undefined) {
    return text.includes('*')
      ? { kind: 'unknown', text }
      : { kind: 'exact', text: text.trim(), commands: plainSequence(text) };
  }
  const words = prefix.includes('*') ? null : plainArgv(prefix);
  return words === null ? { kind: 'unknown', text } : { kind: 'prefix', words };
}

/** Whether an allow rule means this whole command text; the only way in which a command that is not plain can match. */
export function allowsText(spec: ShellSpec, command: string): boolean {
  return spec.kind !== 'prefix' && spec.text === command.trim();
}

/** Whether an allow rule means this simple command. Word by word, so that `Bash(npm run test:*)` ends at a word border. */
export function allowsArgv(spec: ShellSpec, argv: readonly string[]): boolean {
  if (spec.kind === 'unknown') return false;
  if (spec.kind === 'prefix') return startsWith(argv, spec.words);
  const [only, ...others] = spec.commands ?? [];
  return only !== undefined && others.length === 0 && equals(argv, only);
}

/**
 * Why a rule that forbids catches this command, in words; null when it does not. Errs towards catching:
 * a command that is not statically known is caught by any rule (ruling K44), and so is one that hands text to a shell.
 */
export function forbidsCommand(spec: ShellSpec, command: string): string | null {
  if (spec.kind === 'unknown') return 'this version cannot tell which commands it means, so it covers all of them';
  const sequence = plainSequence(command);
  if (sequence === null) return 'the command is not a plain sequence of commands, so what it would run cannot be told';
  if (sequence.some(runsUnknownCode)) return 'the command runs text as code, so what it would run cannot be told';
  const parts = spec.kind === 'prefix' ? [spec.words] : (spec.commands ?? []);
  const caught = parts.length > 0 && parts.every((part) => sequence.some((argv) => mayRun(argv, part, spec.kind)));
  return caught ? 'it matches the command' : null;
}

/**
 * Whether running `argv` may run `words`. Programs that only look take their words as data. Any other may be a wrapper
 * that starts what its words name (`nohup rm x`, `git -C dir push`), so the words may stand anywhere among its own.
 */
function mayRun(argv: readonly string[], words: readonly string[], kind: 'prefix' | 'exact'): boolean {
  const starts = (tail: readonly string[]) =>
    sameProgram(tail[0], words[0]) && (kind === 'prefix' ? startsWith : equals)(tail.slice(1), words.slice(1));
  if (readOnlyPaths(argv) !== null) return starts(argv);
  const named = kind === 'exact' ? argv.some((_, at) => starts(argv.slice(at))) : containsInOrder(argv, words);
  return named || codeMentions(argv, words);
}

function containsInOrder(argv: readonly string[], words: readonly string[]): boolean {
  let found = 0;
  for (const word of argv) {
    const wanted = words[found];
    if (found === 0 ? sameProgram(word, wanted) : word === wanted) found++;
  }
  return found === words.length;
}

const SHELLS = new Set('sh bash dash ash zsh ksh mksh rbash fish csh tcsh'.split(' '));
const CODE_BUILTINS = new Set(['eval', 'source', '.', 'trap', 'alias', 'enable']);
/** Programs that may take code, or a command line in one word, and run it. */
const CODE_RUNNERS = new Set(
  (
    'python perl ruby node nodejs deno bun php lua awk gawk mawk nawk sed tclsh expect osascript pwsh env ssh su sudo ' +
    'doas watch script parallel xargs find tar git make vim vi ex ed emacs gdb flock tmux screen systemd-run npx npm'
  ).split(' '),
);

/** A shell that is given more than the name of a script, or a builtin that evaluates its words. */
function runsUnknownCode(argv: readonly string[]): boolean {
  if (readOnlyPaths(argv) !== null) return false;
  const [first, second] = argv;
  if (CODE_BUILTINS.has(first ?? '')) return true;
  if ((first === 'command' || first === 'builtin') && CODE_BUILTINS.has(second ?? '')) return true;
  const shell = argv.findIndex((word) => SHELLS.has(programName(word)));
  if (shell === -1) return false;
  const script = argv[shell + 1];
  return script === undefined || /^[-+]/.test(script);
}

/** Whether code in one word (`python -c "…"`) mentions the forbidden words. A commit message is not code. */
function codeMentions(argv: readonly string[], words: readonly string[]): boolean {
  if (!argv.some((word) => CODE_RUNNERS.has(programName(word).replace(/[\d.]+$/, '')))) return false;
  return argv.some((word, at) => {
    if (sameProgram(argv[0], 'git') && isMessage(word, argv[at - 1])) return false;
    const names = word.toLowerCase().split(/[^\w.-]+/);
    return words.every((wanted) => names.includes(programName(wanted)));
  });
}

function isMessage(word: string, before: string | undefined): boolean {
  return /^(?:-m|--message)/.test(word) || /^(?:-m|-am|--message)$/.test(before ?? '');
}

function startsWith(argv: readonly string[], words: readonly string[]): boolean {
  return words.every((word, at) => argv[at] === word);
}

function equals(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** By base name, so that `/bin/rm` is `rm`; without case, because some file systems do not know it. */
function sameProgram(word: string | undefined, wanted: string | undefined): boolean {
  return word !== undefined && wanted !== undefined && programName(word) === programName(wanted);
}

function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}
