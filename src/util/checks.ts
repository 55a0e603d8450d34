import { isObject } from './json.ts';
import { slipOf } from './nearest.ts';

/** What is wrong with a value that somebody has given. */
export interface Fault {
  /** Where, behind the name of the value: `.reviewer.tools[2]`; empty: the value itself. */
  at: string;
  /** What is said behind the name: `must be an array, got 3`. */
  says: string;
}

/** Null when the value is what it should be. */
export type Check = (value: unknown) => Fault | null;

/** A check whose refusal shows the value, as far as it is short and no object. */
export function must(expected: string, isFine: (value: unknown) => boolean): Check {
  return (value) => (isFine(value) ? null : { at: '', says: `must be ${expected}, got ${shown(value)}` });
}

export const text = must('a string', (value) => typeof value === 'string');
export const word = must('a string that is not empty', (value) => typeof value === 'string' && value !== '');
export const flag = must('true or false', (value) => typeof value === 'boolean');
export const texts = must(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
);
export const count = must('a whole number above 0', (value) => isWhole(value) && value > 0);
export const countOrNone = must('a whole number, 0 or above', (value) => isWhole(value) && value >= 0);
export const amount = must('a number above 0', (value) => typeof value === 'number' && value > 0);

/** What stands in place of a function or an object may be anything, a credential among it: only its kind is shown. */
export const callback: Check = (value) =>
  typeof value === 'function' ? null : { at: '', says: `must be a function, got ${kindOf(value)}` };
export const record: Check = (value) =>
  isObject(value) ? null : { at: '', says: `must be an object, got ${kindOf(value)}` };

/** Values of an object, each checked. */
export const recordOf =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value)) return record(value);
    for (const [key, item] of Object.entries(value)) {
      const fault = check(item);
      if (fault) return within(fieldOf(key), fault);
    }
    return null;
  };

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return must('an array', () => false)(value);
    for (const [index, item] of value.entries()) {
      const fault = check(item);
      if (fault) return within(`[${index}]`, fault);
    }
    return null;
  };

/** An object with these fields; others may be there, too. A name that ends in `?` may be missing. */
export const shape =
  (fields: Record<string, Check>): Check =>
  (value) => {
    if (!isObject(value)) return record(value);
    for (const [name, check] of Object.entries(fields)) {
      const key = name.replace(/\?$/, '');
      if (key !== name && value[key] === undefined) continue;
      const fault = check(value[key]);
      if (fault) return within(fieldOf(key), fault);
    }
    return null;
  };

/** The same, and no other field is one slip away from these: whoever has written that one meant one of these. */
export const spelled = (fields: Record<string, Check>): Check => {
  const known = Object.keys(fields).map((name) => name.replace(/\?$/, ''));
  const isThere = shape(fields);
  return (value) => slipIn(value, known) ?? isThere(value);
};

/** The first name of an object that is one slip away from a known one. */
export function slipIn(value: unknown, known: readonly string[]): Fault | null {
  for (const key of isObject(value) ? Object.keys(value) : []) {
    const meant = slipOf(key, known);
    if (meant !== null) return { at: '', says: `has '${key}'; did you mean '${meant}'?` };
  }
  return null;
}

/** One of several kinds, which `expected` names together. */
export const either = (expected: string, ...checks: Check[]): Check =>
  must(expected, (value) => checks.some((check) => check(value) === null));

export const oneOf = (words: readonly string[]): Check =>
  must(`one of ${words.join(', ')}`, (value) => words.includes(value as string));

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function within(place: string, { at, says }: Fault): Fault {
  return { at: `${place}${at}`, says };
}

function fieldOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Longer texts may be anything, and are not what one has mistyped. */
const MAX_SHOWN = 40;

function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= MAX_SHOWN ? JSON.stringify(value) : `a string of ${value.length} characters`;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}
