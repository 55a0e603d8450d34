import { isObject, isTexts } from './json.ts';
import { slipOf } from './text/nearest.ts';

/** What is wrong with a value of a caller. */
export interface Fault {
  /** The position, printed after the name of the value: `.reviewer.tools[2]`; empty: the value itself. */
  at: string;
  /** The problem, printed after the name: `must be an array, got 3`. */
  says: string;
}

/** Returns null for a valid value. */
export type Check = (value: unknown) => Fault | null;

/** A check whose error shows the value, if it is short and not an object. */
export function must(expected: string, isFine: (value: unknown) => boolean): Check {
  return (value) => (isFine(value) ? null : { at: '', says: `must be ${expected}, got ${shown(value)}` });
}

export const text = must('a string', (value) => typeof value === 'string');
export const word = must('a string that is not empty', (value) => typeof value === 'string' && value !== '');
export const flag = must('true or false', (value) => typeof value === 'boolean');
export const texts = must('an array of strings', isTexts);
export const count = must('a whole number above 0', (value) => isWhole(value) && value > 0);
export const countOrNone = must('a whole number, 0 or above', (value) => isWhole(value) && value >= 0);
export const amount = must('a number above 0', (value) => typeof value === 'number' && value > 0);

/** A wrong value may be anything, even a credential: the error only shows its kind. */
export const callback: Check = (value) =>
  typeof value === 'function' ? null : { at: '', says: `must be a function, got ${kindOf(value)}` };
export const record: Check = (value) =>
  isObject(value) ? null : { at: '', says: `must be an object, got ${kindOf(value)}` };

/** An object whose values all pass the check. */
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

/** An object with these fields; other fields may be present, too. A field whose name ends in `?` may be missing. */
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

/** An object with these fields, without a field that is one typing error away from one of them. */
export const spelled = (fields: Record<string, Check>): Check => {
  const known = Object.keys(fields).map((name) => name.replace(/\?$/, ''));
  const isThere = shape(fields);
  return (value) => slipIn(value, known) ?? isThere(value);
};

/** The first name of an object that is one typing error away from a known one. */
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

/** The kind of a value, in words. */
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

/** Longer texts may be anything, and are hardly typing errors. */
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
