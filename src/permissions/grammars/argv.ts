import type { Word } from '../shell/shell-script.ts';
import { type Argv, type OptionUse, ROLES, type Role, type TableGrammar } from './grammar.ts';

/** One option of a table. */
export interface OptionRow {
  readonly names: readonly string[];
  readonly takes: 'nothing' | 'value' | 'attached';
  readonly role: Role;
  readonly never: boolean;
  readonly changes: boolean;
}

export type OptionTable = ReadonlyMap<string, OptionRow>;

const ROW = /^(!?)([^=^]+)(?:=(\??)([a-z]+))?(\^?)$/;

/** Reads the text of a table. Throws for a text that is none, so that a mistake in the data cannot open anything. */
export function optionTable(text: string): OptionTable {
  const table = new Map<string, OptionRow>();
  for (const piece of text.split(/\s+/).filter(Boolean)) {
    const [, never, names = '', attached, role, changes] = ROW.exec(piece) ?? [];
    const isRole = role === undefined || (ROLES as readonly string[]).includes(role);
    if (names === '' || !isRole) throw new Error(`'${piece}' is no row of options`);
    const row: OptionRow = {
      names: names.split(','),
      takes: role === undefined ? 'nothing' : attached === '?' ? 'attached' : 'value',
      role: (role ?? 'text') as Role,
      never: never === '!',
      changes: changes === '^',
    };
    for (const name of row.names) table.set(name, row);
  }
  return table;
}

/** Tells options from operands; a text when a word is not in the table. */
export function readArgv(words: readonly Word[], grammar: TableGrammar, table: OptionTable): Argv | string {
  const given: OptionUse[] = [];
  const operands: Word[] = [];
  const open: Word[] = [];
  let afterDashes: readonly Word[] | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (word === '--') {
      afterDashes = words.slice(at + 1);
      operands.push(...afterDashes);
      break;
    }
    const kind = kindOf(word, grammar);
    if (kind === 'unclear') open.push(word);
    if (kind !== 'option') {
      operands.push(word);
      // A word that may be an option may also be the first operand: what follows is read in both ways by the caller.
      if (grammar.optionsFirst && kind === 'operand') {
        operands.push(...words.slice(at + 1));
        break;
      }
      continue;
    }
    const step = readOption(word, words[at + 1], grammar, table);
    if (typeof step === 'string') return step;
    given.push(...step.given);
    at += step.consumed;
  }
  return {
    given,
    operands,
    afterDashes,
    open,
    has: (...names) => given.some(({ name }) => names.includes(name)),
    value: (name) => given.findLast((option) => option.name === name)?.value,
  };
}

function kindOf(word: Word, { counts }: TableGrammar): 'option' | 'operand' | 'unclear' {
  if (typeof word === 'string') {
    if (counts?.includes('+') && word.startsWith('+')) return 'option';
    return word.startsWith('-') && word !== '-' ? 'option' : 'operand';
  }
  if (word.pipe) return 'operand';
  const [start] = word.parts;
  // What begins with a known text begins with it in every word that it may become.
  if (typeof start === 'string' && start !== '') return start.startsWith('-') ? 'option' : 'operand';
  return typeof start === 'object' && start.any === 'home' ? 'operand' : 'unclear';
}

interface Step {
  given: OptionUse[];
  /** How many of the next words belong to the option. */
  consumed: 0 | 1;
}

function readOption(word: Word, next: Word | undefined, grammar: TableGrammar, table: OptionTable): Step | string {
  const known = typeof word === 'string' ? word : (word.parts[0] as string);
  if (typeof word === 'string' && grammar.counts && /^[-+]\d+[a-zA-Z]?$/.test(word)) return { given: [], consumed: 0 };
  if (known.startsWith('--') || grammar.oneDash) return readLong(word, known, next, grammar, table);
  return readBundle(word, known, next, table);
}

function readLong(
  word: Word,
  known: string,
  next: Word | undefined,
  grammar: TableGrammar,
  table: OptionTable,
): Step | string {
  const equals = known.indexOf('=');
  if (typeof word !== 'string' && (equals === -1 || word.many)) return unclear(known);
  const written = (equals === -1 ? known : known.slice(0, equals)).replace(/^--?/, '');
  const row = longRow(written, grammar, table);
  if (row === null || row.never) return `${shown(known)} is not among the options that are known`;
  if (equals !== -1) {
    if (row.takes === 'nothing') return `${shown(known)} takes no value`;
    return { given: [given(row, restOf(word, equals + 1))], consumed: 0 };
  }
  if (row.takes !== 'value') return { given: [given(row, undefined)], consumed: 0 };
  return withNext(row, known, next, []);
}

/** The row of a long name; an abbreviation counts where the program takes it, and where it means one option. */
function longRow(name: string, grammar: TableGrammar, table: OptionTable): OptionRow | null {
  const exact = table.get(name);
  if (exact !== undefined) return name.length > 1 || grammar.oneDash ? exact : null;
  if (grammar.exact || grammar.oneDash || name === '') return null;
  const rows = new Set([...table].flatMap(([each, row]) => (each.length > 1 && each.startsWith(name) ? [row] : [])));
  const [only, ...others] = rows;
  return only === undefined || others.length > 0 ? null : only;
}

function readBundle(word: Word, known: string, next: Word | undefined, table: OptionTable): Step | string {
  const options: OptionUse[] = [];
  for (let at = 1; at < known.length; at++) {
    const row = table.get(known[at] as string);
    if (row === undefined || row.never) return `${shown(known)} is not among the options that are known`;
    if (row.takes === 'nothing') {
      options.push(given(row, undefined));
      continue;
    }
    const isLast = at === known.length - 1 && typeof word === 'string';
    if (!isLast) {
      if (typeof word !== 'string' && word.many) return unclear(known);
      return { given: [...options, given(row, restOf(word, at + 1))], consumed: 0 };
    }
    if (row.takes === 'attached') return { given: [...options, given(row, undefined)], consumed: 0 };
    return withNext(row, known, next, options);
  }
  // An unknown letter does not end the word: further letters may follow.
  return typeof word === 'string' ? { given: options, consumed: 0 } : unclear(known);
}

function withNext(row: OptionRow, known: string, next: Word | undefined, before: OptionUse[]): Step | string {
  if (next === undefined) return `${shown(known)} has no value`;
  if (typeof next !== 'string' && next.many) return unclear(known);
  return { given: [...before, given(row, next)], consumed: 1 };
}

function given({ names: [name = ''], role, changes }: OptionRow, value: Word | undefined): OptionUse {
  return { name, role, changes, value };
}

function restOf(word: Word, from: number): Word {
  if (typeof word === 'string') return word.slice(from);
  const [start, ...parts] = word.parts;
  const rest = typeof start === 'string' ? start.slice(from) : '';
  return { parts: rest === '' ? parts : [rest, ...parts], many: false };
}

function unclear(known: string): string {
  return `what follows ${shown(known)} is not known beforehand`;
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
