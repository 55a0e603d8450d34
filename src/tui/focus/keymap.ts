import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { keyName, keyNameProblem } from '../input/key-name.ts';
import { CONTEXTS, type Context, DEFAULT_KEYS, FIXED_KEYS, OTHER_CONTEXTS } from './default-keys.ts';

/** Which action a key has, in each context. */
export interface Keymap {
  /**
   * The action of a key, or of keys in a row with a blank between them, in the first of these contexts that knows it.
   * `prefix`: more keys may follow. `unbound`: the user has taken its meaning away. Null: it has none.
   */
  find(contexts: readonly Context[], keys: string): string | 'prefix' | 'unbound' | null;
  /** The keys of an action, as the help shows them. */
  keysOf(context: Context, action: string): string[];
}

/** The bindings of a file, by context and keys; null takes a meaning away. */
export type Bindings = ReadonlyMap<Context, ReadonlyMap<string, string | null>>;

export function createKeymap(own: Bindings = new Map()): Keymap {
  const all = new Map(CONTEXTS.map((context) => [context, bindingsOf(context, own.get(context))]));
  const prefixes = new Map([...all].map(([context, keys]) => [context, prefixesOf(keys)]));
  return {
    find(contexts, keys) {
      for (const context of contexts) {
        const action = all.get(context)?.get(keys);
        if (action !== undefined) return action ?? 'unbound';
        if (prefixes.get(context)?.has(keys)) return 'prefix';
      }
      return null;
    },
    keysOf(context, action) {
      return [...(all.get(context) ?? [])].filter(([, each]) => each === action).map(([keys]) => keys);
    },
  };
}

function bindingsOf(context: Context, own: ReadonlyMap<string, string | null> = new Map()): Map<string, string | null> {
  const keys = new Map<string, string | null>();
  for (const [action, defaults] of Object.entries(DEFAULT_KEYS[context])) {
    for (const each of defaults) keys.set(each, action);
  }
  for (const [each, action] of own) keys.set(each, action);
  return keys;
}

function prefixesOf(keys: ReadonlyMap<string, string | null>): Set<string> {
  const bound = [...keys].filter(([, action]) => action !== null);
  return new Set(
    bound.flatMap(([each]) =>
      each
        .split(' ')
        .map((_, at, parts) => parts.slice(0, at).join(' '))
        .slice(1),
    ),
  );
}

export interface ReadKeybindings {
  /** Null where something is wrong: then nothing of the file counts. */
  bindings: Bindings | null;
  /** What is wrong, with its line. */
  problems: string[];
  /** What is accepted and has no effect. */
  notes: string[];
}

/** Reads the text of a `keybindings.json`. Never throws. */
export function readKeybindings(text: string): ReadKeybindings {
  const problems: string[] = [];
  const notes = new Set<string>();
  const bindings = new Map<Context, Map<string, string | null>>();
  const at = (words: string) => `line ${lineOf(text, JSON.stringify(words))}`;
  for (const block of blocksIn(text, problems)) {
    const { context, bindings: given } = block;
    if (typeof context !== 'string' || !isObject(given)) {
      problems.push('each entry of "bindings" needs a "context" and its "bindings"');
    } else if (OTHER_CONTEXTS.has(context)) notes.add(`the context ${context} has no effect here`);
    else if (!isContext(context)) problems.push(`${at(context)}: there is no context ${context}`);
    else {
      const keys = bindings.get(context) ?? new Map<string, string | null>();
      bindings.set(context, keys);
      for (const [name, action] of Object.entries(given)) {
        const problem = problemOf(name, action);
        if (problem !== null) problems.push(`${at(name)}: ${problem}`);
        else keys.set(name.trim().split(/\s+/).map(keyName).join(' '), action as string | null);
        if (typeof action === 'string' && !KNOWN_ACTIONS.has(action)) notes.add(`there is no action ${action} here`);
      }
    }
  }
  return { bindings: problems.length > 0 ? null : bindings, problems, notes: [...notes] };
}

function* blocksIn(text: string, problems: string[]): Generator<Record<string, unknown>, void> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(messageOf(error))?.[1];
    const line = position === undefined ? '' : `line ${text.slice(0, Number(position)).split('\n').length}: `;
    problems.push(`${line}it is no JSON: ${messageOf(error)}`);
    return;
  }
  const blocks = isObject(file) ? file.bindings : undefined;
  if (!Array.isArray(blocks) || !blocks.every(isObject)) problems.push('it needs "bindings", a list of objects');
  else yield* blocks;
}

function problemOf(name: string, action: unknown): string | null {
  if (action !== null && typeof action !== 'string')
    return `${JSON.stringify(name)} needs the name of an action, or null`;
  const keys = name.trim().split(/\s+/);
  const fixed = keys.find((each) => FIXED_KEYS.has(keyName(each)));
  if (fixed !== undefined) return `${fixed} cannot be bound`;
  return keys.map(keyNameProblem).find((problem) => problem !== null) ?? null;
}

function isContext(context: string): context is Context {
  return CONTEXTS.some((each) => each === context);
}

const KNOWN_ACTIONS: ReadonlySet<string> = new Set(Object.values(DEFAULT_KEYS).flatMap((keys) => Object.keys(keys)));

function lineOf(text: string, words: string): number {
  const at = text.indexOf(words);
  return text.slice(0, Math.max(0, at)).split('\n').length;
}
