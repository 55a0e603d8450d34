import {
  ANYTHING,
  type Assignment,
  type FileUse,
  joinedScripts,
  type Meaning,
  notStatic,
  type ShellScript,
  type SimpleCommand,
  type Word,
} from '../shell/shell-script.ts';
import { type OptionTable, readArgv } from './argv.ts';
import type { Argv, Findings, Grammar, Role, TableGrammar, Within } from './grammar.ts';
import { filesOfCode, isHarmlessCode, isRunnableFile } from './inner-code.ts';

/** What a command means to its program, and what it starts. */
export interface Interpretation {
  meaning: Meaning;
  runs: ShellScript | null;
  /** The variables that it sets for what follows. */
  sets: readonly Assignment[];
}

/** Reads the words after the program's name by its grammar. */
export function interpret(
  command: SimpleCommand,
  program: string,
  grammar: Grammar,
  options: (text: string) => OptionTable,
  within: Within,
): Interpretation {
  const { found, result } = collector(program, command, options, within);
  if (asksVersion(program, command.words)) return result();
  if ('read' in grammar) grammar.read(command, found);
  else found.readBy(grammar, command.words);
  return result();
}

/** Programs that people ask for their version, and that then do nothing else. */
const WITH_VERSIONS =
  /^(?:node|npm|npx|pnpm|yarn|bun|deno|python|pypy|pip|pip3|ruby|gem|perl|php|composer|java|javac|cargo|rustc|gcc|g\+\+|clang|cc|make|cmake|ninja|docker|git|bash|zsh|sed|grep|awk|gawk|tar|curl|wget|jq|rg|fd|vim|uv|poetry|mvn|gradle|tsx|ts-node)$/;

function asksVersion(program: string, words: readonly Word[]): boolean {
  const [only, ...others] = words;
  const isQuestion =
    only === '--version' ||
    (only === 'version' && program === 'go') ||
    (only === '-v' && /^(?:node|npm)$/.test(program));
  return isQuestion && others.length === 0 && (program === 'go' || WITH_VERSIONS.test(program));
}

function collector(
  program: string,
  command: SimpleCommand,
  options: (text: string) => OptionTable,
  within: Within,
): { found: Findings; result: () => Interpretation } {
  const files: FileUse[] = [];
  const scripts: ShellScript[] = [];
  const sets: Assignment[] = [];
  const passes: Word[] = [];
  let doubt: string | null = null;
  let reads = true;
  let place: Pick<SimpleCommand, 'elsewhere'> = command.elsewhere ? { elsewhere: true } : {};
  const found: Findings = {
    program,
    command,
    readBy: (grammar, words) => readByTable(words, grammar, options(grammar.options ?? ''), found),
    elsewhere: () => {
      place = { elsewhere: true };
    },
    isWord: (text) => command.words.includes(text),
    repository: (access) => {
      const more = { word: '.', repository: true, ...place } as const;
      if (access === 'write') files.push({ ...more, access, reach: 'taken' });
      else files.push({ ...more, access: 'read', reach: 'below', ...(access === 'read tracked' && { tracked: true }) });
    },
    file: (word, role) => files.push(...usesOf(word, role).map((use) => ({ ...use, ...place }))),
    doubt: (why) => {
      doubt ??= `${program}: ${why}`;
    },
    changes: () => {
      reads = false;
    },
    starts: (words, more) => {
      if (words.length > 0) scripts.push(within.words(words, { ...place, ...more }));
    },
    code: (text) => {
      if (text === undefined) return;
      scripts.push(
        typeof text === 'string' ? within.text(text) : notStatic('it runs code that is not known beforehand'),
      );
    },
    passes: (words) => {
      reads = false;
      passes.push(...words);
    },
    runs: (script) => {
      if (script !== null) scripts.push(script);
    },
    sets: (name, value = ANYTHING) => {
      sets.push({ name, value });
    },
  };
  const result = (): Interpretation => {
    const writes = files.some(({ access, isRun }) => access === 'write' || isRun);
    return {
      meaning: { doubt, files, reads: reads && doubt === null && !writes && scripts.length === 0, passes },
      runs: joinedScripts(scripts),
      sets,
    };
  };
  return { found, result };
}

function usesOf(word: Word, role: Role): FileUse[] {
  if (word === '-' || word === '') return [];
  switch (role) {
    case 'in':
      return [{ word, access: 'read' }, ...behindMark(word)];
    case 'script':
      return [{ word, access: 'read', isRun: true }];
    case 'tree':
      return [{ word, access: 'read', reach: 'below' }];
    case 'out':
      return [{ word, access: 'write' }];
    case 'edit':
      return [
        { word, access: 'read' },
        { word, access: 'write' },
      ];
    case 'taken':
      return [{ word, access: 'write', reach: 'taken' }];
    default:
      return [];
  }
}

/** Many programs take further words from the file that `@file` names. */
function behindMark(word: Word): FileUse[] {
  if (typeof word !== 'string' || !/^@./.test(word)) return [];
  return [{ word: word.slice(1), access: 'read' }];
}

function readByTable(words: readonly Word[], grammar: TableGrammar, table: OptionTable, found: Findings) {
  if (!grammar.reads) found.changes();
  if (isQuestion(words)) return;
  const argv = readArgv(words, grammar, table);
  if (typeof argv === 'string') {
    found.doubt(argv);
    return;
  }
  if (argv.open.length > 0 && grammar.open === undefined) {
    found.doubt('a word that is not known beforehand may be one of its options');
  }
  const at = argv.given.some(({ role }) => role === 'at');
  const target = at ? inOtherDirectory(found) : found;
  for (const { role, value, changes } of argv.given) {
    if (changes) found.changes();
    if (value !== undefined) take(value, role, found);
    // What it does there is done to the directory.
    if (role === 'at' && value !== undefined && !grammar.reads) found.file(value, 'taken');
  }
  takeOperands(argv, grammar, target);
  if (argv.open.length > 0) takeOpen(argv, grammar, found);
  grammar.more?.(argv, target);
}

/** Asked for its version or its help alone, a program does nothing else. */
function isQuestion(words: readonly Word[]): boolean {
  return words.length === 1 && (words[0] === '--version' || words[0] === '--help');
}

/** Relative paths are taken from a directory that an option names. */
function inOtherDirectory(found: Findings): Findings {
  const isFixed = (word: Word) => typeof word === 'string' && word.startsWith('/');
  return {
    ...found,
    file: (word, role) => {
      if (isFixed(word)) found.file(word, role);
      else found.file(anywhere(word), role);
    },
    starts: (words, more) => found.starts(words, { ...more, elsewhere: true }),
  };
}

function anywhere(word: Word): Word {
  return { parts: [{ any: 'text' }, '/', ...(typeof word === 'string' ? [word] : word.parts)], many: false };
}

function take(word: Word, role: Role, found: Findings) {
  switch (role) {
    case 'text':
    case 'at':
      return;
    case 'sh':
      found.code(word);
      return;
    case 'lang':
      if (!isHarmlessCode(word, found.program)) found.doubt('it is given code in a language that is not read');
      for (const { name, role: kind } of filesOfCode(word, found.program)) found.file(name, kind);
      return;
    case 'script':
      if (!isRunnableFile(word)) found.doubt('which file it would run cannot be told');
      found.file(word, role);
      return;
    case 'never':
      found.doubt('what it would do with its words cannot be told');
      return;
    case 'argv':
      found.starts([word]);
      return;
    case 'any':
      found.passes([word]);
      return;
    default:
      found.file(word, role);
  }
}

function takeOperands(argv: Argv, grammar: TableGrammar, found: Findings) {
  const { operands = '' } = grammar;
  const roles = (typeof operands === 'string' ? operands : operands(argv)).split(' ').filter(Boolean);
  const star = roles.findIndex((role) => role.endsWith('*'));
  const tail = star === -1 ? 0 : roles.length - star - 1;
  const { operands: words } = argv;
  for (let at = 0; at < words.length; at++) {
    const fromEnd = words.length - at;
    const isTail = star !== -1 && fromEnd <= tail && at >= Math.min(star, words.length - tail);
    const index = isTail ? roles.length - fromEnd : star !== -1 && at >= star ? star : at;
    const role = roles[index]?.replace('*', '') as Role | undefined;
    if (role === undefined) {
      found.doubt('it is given more words than it takes');
      return;
    }
    if (role === 'argv') {
      found.starts(words.slice(at));
      return;
    }
    take(words[at] as Word, role, found);
  }
}

/** A word that may be an option moves all others from their places. */
function takeOpen({ operands }: Argv, { open }: TableGrammar, found: Findings) {
  if (open !== 'read' && open !== 'write') return;
  for (const word of operands) found.file(word, open === 'write' ? 'edit' : 'in');
}
