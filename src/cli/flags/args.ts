import { HeddleError } from '../../wire/errors.ts';
import { FLAGS, type Flag } from '../../wire/flags.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { IGNORED_FLAGS } from './ignored-flags.ts';

export interface ParsedArgs {
  config: RunConfig;
  /** The prompt argument. */
  prompt?: string;
  /** Flags of the reference that have no effect here; the run prints one note for each. */
  ignored: string[];
  help: boolean;
  version: boolean;
  /** `--bg`: the session runs without a terminal. */
  background?: boolean;
  /** `--plain` or `--ax-screen-reader`: the terminal adds lines and draws nothing. */
  plain?: string;
}

type Arity = Flag['kind'] | 'help' | 'version' | 'background' | 'plain';
export type Target = { name: string; arity: Arity; flag?: Flag };
type Targets = ReadonlyMap<string, Target>;

/**
 * Reads the command line by the table of `wire/flags.ts`. Throws `invalid_option` with one line that says what is
 * wrong.
 */
export function parseArgs(argv: readonly string[]): ParsedArgs {
  const parsed: ParsedArgs = { config: {}, ignored: [], help: false, version: false };
  const words = readWords(argv, { targets: TARGETS, help: 'heddle --help' }, ({ name, arity, flag }, values) => {
    if (arity === 'help') parsed.help = true;
    else if (arity === 'version') parsed.version = true;
    else if (arity === 'background') parsed.background = true;
    else if (arity === 'plain') parsed.plain = name;
    else if (flag) assign(parsed.config, flag, values);
    else parsed.ignored.push(name);
  });
  const [prompt, extra] = words;
  if (extra !== undefined) {
    throw usage(`unexpected argument '${extra}': quote a prompt of several words`, { unknown: extra, words });
  }
  return prompt === undefined ? parsed : { ...parsed, prompt };
}

/** Checks flags that are only valid together. Throws `invalid_option` with one line. */
export function validateFormats(config: RunConfig): void {
  const streamOut = config.outputFormat === 'stream-json';
  const streamIn = config.inputFormat === 'stream-json';
  if (streamOut && !config.verbose) {
    throw usage('Error: When using --print, --output-format=stream-json requires --verbose');
  }
  if (streamIn && !streamOut) throw usage('--input-format=stream-json requires --output-format=stream-json');
  if (config.includePartialMessages && !streamOut) {
    throw usage('--include-partial-messages requires --print and --output-format=stream-json');
  }
  if (config.replayUserMessages && !(streamIn && streamOut)) {
    throw usage('--replay-user-messages requires --input-format=stream-json and --output-format=stream-json');
  }
}

/**
 * Goes through the words once and passes on each flag with its values; returns the other words. A flag with a value
 * takes the next word, whatever it looks like, or the text after its `=`; a list takes all words up to the next flag,
 * and `--` ends the flags. No value is read twice, so none can be mistaken for a flag.
 */
export function readWords(
  argv: readonly string[],
  { targets, help }: { targets: Targets; help: string },
  take: (target: Target, values: string[]) => void,
): string[] {
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(...rest.splice(0));
    } else if (word.startsWith('-') && word !== '-') {
      const equals = word.startsWith('--') ? word.indexOf('=') : -1;
      const spelled = equals < 0 ? word : word.slice(0, equals);
      const target = targets.get(spelled);
      if (!target) {
        const details = { unknown: spelled, known: [...targets.keys()] };
        throw usage(`unknown option '${spelled}' (${help} lists the options)`, details);
      }
      take(target, takeValues(target, equals < 0 ? undefined : word.slice(equals + 1), rest, help));
    } else {
      words.push(word);
    }
  }
  return words;
}

/** Removes the words that belong to a flag from the rest. */
function takeValues({ name, arity }: Target, bound: string | undefined, rest: string[], help: string): string[] {
  switch (arity) {
    case 'switch':
    case 'help':
    case 'version':
    case 'background':
    case 'plain':
      if (bound !== undefined) throw usage(`option '${name}' takes no value`);
      return [];
    case 'optional':
      if (bound !== undefined) return [bound];
      return rest[0] !== undefined && !rest[0].startsWith('-') ? rest.splice(0, 1) : [];
    case 'text':
    case 'number': {
      const value = bound ?? rest.shift();
      if (value === undefined) throw valueMissing(name, help);
      return [value];
    }
    case 'list':
    case 'rules':
    case 'words': {
      if (bound !== undefined) return [bound];
      const first = rest.shift();
      if (first === undefined) throw valueMissing(name, help);
      const end = rest.findIndex((word) => word.startsWith('-'));
      return [first, ...rest.splice(0, end < 0 ? rest.length : end)];
    }
    default:
      return arity satisfies never;
  }
}

function valueMissing(name: string, help: string): HeddleError {
  return usage(`option '${name}' needs a value (${help} says which)`);
}

export function assign(config: RunConfig, flag: Flag, values: string[]): void {
  const [value] = values;
  const set = (to: unknown) => Object.assign(config, { [flag.key]: to });
  switch (flag.kind) {
    case 'switch':
      set(true);
      return;
    case 'optional':
      set(value ?? true);
      return;
    case 'text':
      checkChoice(flag, value ?? '');
      set(value);
      return;
    case 'number': {
      const number = Number(value);
      if (value?.trim() === '' || !Number.isFinite(number)) {
        throw usage(`option '${flag.name}' needs a number, not '${value}'`);
      }
      set(number);
      return;
    }
    case 'list':
    case 'rules':
    case 'words': {
      const before = (config[flag.key] as string[] | undefined) ?? [];
      const added = flag.kind === 'list' ? values.flatMap(splitList) : values;
      set([...before, ...added]);
      return;
    }
    default:
      flag.kind satisfies never;
  }
}

function checkChoice(flag: Flag, value: string): void {
  if (!flag.choices || flag.choices.includes(value)) return;
  throw usage(`option '${flag.name}' argument '${value}' is invalid. Allowed choices are ${flag.choices.join(', ')}.`);
}

/** Items separated by commas or spaces. */
function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}

/** With `unknown` (and the `known` alternatives) or `missing` among the facts, the usage is printed as well. */
export function usage(message: string, facts: Record<string, unknown> = {}): HeddleError {
  return new HeddleError('invalid_option', message, { facts });
}

/** Every spelling of a flag of a run. */
export function runTargets(flag: Flag): [string, Target][] {
  const target = { name: flag.name, arity: flag.kind, flag };
  return [flag.name, ...(flag.aliases ?? [])].map((name) => [name, target]);
}

const TARGETS: Targets = new Map<string, Target>([
  ...FLAGS.flatMap(runTargets),
  ...IGNORED_FLAGS.flatMap(({ names, arity }) =>
    names.map((name): [string, Target] => [name, { name: names[0] ?? name, arity }]),
  ),
  ...['-h', '--help'].map((name): [string, Target] => [name, { name, arity: 'help' }]),
  ...['--bg', '--background'].map((name): [string, Target] => [name, { name, arity: 'background' }]),
  ...['--plain', '--ax-screen-reader'].map((name): [string, Target] => [name, { name, arity: 'plain' }]),
  ...['-v', '--version'].map((name): [string, Target] => [name, { name, arity: 'version' }]),
]);
