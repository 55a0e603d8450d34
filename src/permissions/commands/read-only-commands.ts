import { plainSequence } from '../shell/plain-words.ts';
import { type OptionSchema, parseArgv } from './argv-schema.ts';

/**
 * True when every command of a plain sequence only reads: it starts no other program, writes no file and changes no
 * state of the shell. A schema of the argv decides, never the text. It does not check WHICH files are read.
 */
export function isReadOnlyCommand(command: string): boolean {
  return plainSequence(command)?.every((argv) => readOnlyPaths(argv) !== null) ?? false;
}

/** The files that a read-only command names, as written; null when the command is not known to be read-only. */
export function readOnlyPaths(argv: readonly string[]): string[] | null {
  const [name, ...args] = argv;
  const schema = name === undefined ? undefined : SCHEMAS.get(name);
  if (schema === undefined) return null;
  if ('accepts' in schema) return schema.accepts(args) ? [] : null;

  const parsed = parseArgv(args, schema);
  if (parsed === null) return null;
  const { operands, options } = parsed;
  if (operands.length > (schema.max ?? Number.POSITIVE_INFINITY)) return null;
  switch (schema.operands) {
    case 'text':
      return [];
    case 'paths':
      return operands;
    case 'paths-or-here':
      return operands.length > 0 ? operands : ['.'];
    case 'pattern-then-paths':
      return options.has('e') ? operands : operands.slice(1);
  }
}

type CommandSchema =
  | (OptionSchema & { operands: 'text' | 'paths' | 'paths-or-here' | 'pattern-then-paths'; max?: number })
  /** For commands whose words are not options and operands. */
  | { accepts: (args: readonly string[]) => boolean };

const anything = () => true;

/**
 * Left out on purpose, whatever their options: all programs that can start a program or write (find, sed, awk, tar,
 * git, rg, man, xargs, env, less, test with -v), and those that follow symlinks out of the roots (diff on directories,
 * grep -r/-R, ls -L, du -L). Options that name files other than operands are left out too (-f, --files0-from …).
 */
const SCHEMAS: ReadonlyMap<string, CommandSchema> = new Map<string, CommandSchema>([
  ['echo', { accepts: anything }],
  ['true', { accepts: anything }],
  ['false', { accepts: anything }],
  ['printf', { accepts: printsOnly }],
  ['date', { accepts: showsDate }],
  ['sleep', { operands: 'text' }],
  ['pwd', { operands: 'text', flags: 'LP', max: 0 }],
  ['whoami', { operands: 'text', max: 0 }],
  ['id', { operands: 'text', flags: 'ugGnrz' }],
  ['uname', { operands: 'text', flags: 'asnrvmpio', max: 0 }],
  ['basename', { operands: 'text', flags: 'az', valued: 's' }],
  ['dirname', { operands: 'text', flags: 'z' }],
  ['which', { operands: 'text', flags: 'as' }],
  ['tr', { operands: 'text', flags: 'cCdst' }],
  [
    'ls',
    {
      operands: 'paths-or-here',
      flags: '1aAlhtrSRdFinogpskxCmqQUXcubN',
      longs: ['all', 'almost-all', 'color', 'human-readable', 'recursive', 'reverse'],
      valuedLongs: ['color', 'sort', 'time-style'],
    },
  ],
  [
    'du',
    {
      operands: 'paths-or-here',
      flags: 'shackmbx',
      valued: 'd',
      longs: ['summarize', 'human-readable', 'total'],
      valuedLongs: ['max-depth'],
    },
  ],
  ['df', { operands: 'paths', flags: 'haHkPTil' }],
  ['cat', { operands: 'paths', flags: 'nbsETvAetu' }],
  ['head', { operands: 'paths', flags: 'qv', valued: 'nc', valuedLongs: ['lines', 'bytes'], count: true }],
  ['tail', { operands: 'paths', flags: 'qv', valued: 'nc', valuedLongs: ['lines', 'bytes'], count: true }],
  ['wc', { operands: 'paths', flags: 'lwcmL', longs: ['lines', 'words', 'bytes', 'chars'] }],
  ['realpath', { operands: 'paths', flags: 'emsqz' }],
  ['stat', { operands: 'paths', flags: 't', valued: 'c', valuedLongs: ['format', 'printf'] }],
  ['file', { operands: 'paths', flags: 'bi', longs: ['brief', 'mime', 'mime-type', 'mime-encoding'] }],
  ['cmp', { operands: 'paths', flags: 'slb', valued: 'n', longs: ['silent', 'quiet'] }],
  [
    'sort',
    {
      operands: 'paths',
      flags: 'nrufbdghVMiszcCm',
      valued: 'kt',
      longs: ['numeric-sort', 'reverse', 'unique', 'version-sort'],
      valuedLongs: ['key', 'field-separator'],
    },
  ],
  ['uniq', { operands: 'paths', flags: 'cdui', valued: 'fsw', max: 1 }],
  [
    'cut',
    {
      operands: 'paths',
      flags: 'sn',
      valued: 'dfcb',
      longs: ['complement'],
      valuedLongs: ['delimiter', 'fields', 'output-delimiter'],
    },
  ],
  ['nl', { operands: 'paths', valued: 'bnwsvi' }],
  ['tac', { operands: 'paths', flags: 'br', valued: 's' }],
  ['rev', { operands: 'paths' }],
  [
    'grep',
    {
      operands: 'pattern-then-paths',
      flags: 'ivclLnHhoqswxEFGaIb',
      valued: 'ABCme',
      longs: ['ignore-case', 'invert-match', 'count', 'color', 'line-number', 'fixed-strings', 'extended-regexp'],
      valuedLongs: ['color', 'max-count', 'context'],
      count: true,
    },
  ],
]);

/**
 * `-v` sets a variable, and so does the `%n` conversion: `printf %n PATH` would change where the shell finds later
 * commands.
 */
function printsOnly(args: readonly string[]): boolean {
  const [format] = args;
  if (format === undefined || format.startsWith('-')) return false;
  return !format.replaceAll(HARMLESS_CONVERSIONS, '').includes('%');
}

const HARMLESS_CONVERSIONS = /%(?:%|[-+ 0#]*\d*(?:\.\d+)?[sbcq])/g;

/** An operand without a plus sign sets the clock. */
function showsDate(args: readonly string[]): boolean {
  return args.every((arg) => arg.startsWith('+') || DATE_OPTIONS.test(arg));
}
const DATE_OPTIONS = /^(?:-u|-R|--utc|--universal|--rfc-email|--rfc-3339=[a-z]+|--iso-8601(?:=[a-z]+)?)$/;
