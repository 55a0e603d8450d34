import { isObject } from '../util/json.ts';

/** What a value should have been, in words that follow "must be"; null when it is that. */
export type Check = (value: unknown) => string | null;

export const text: Check = (value) => (typeof value === 'string' ? null : 'a string');
export const word: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a string that is not empty');
export const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
export const callback: Check = (value) => (typeof value === 'function' ? null : 'a function');
export const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? null : 'an array of strings';
export const count: Check = (value) => (isWhole(value) && value > 0 ? null : 'a whole number above 0');
export const countOrNone: Check = (value) => (isWhole(value) && value >= 0 ? null : 'a whole number, 0 or above');
export const amount: Check = (value) => (typeof value === 'number' && value > 0 ? null : 'a number above 0');
export const record: Check = (value) => (isObject(value) ? null : 'an object');

/** Values of an object, each checked; the first wrong one is named. */
export const recordOf =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value)) return 'an object';
    for (const [key, item] of Object.entries(value)) {
      const expected = check(item);
      if (expected) return `an object whose '${key}' is ${expected}`;
    }
    return null;
  };

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'an array';
    for (const [index, item] of value.entries()) {
      const expected = check(item);
      if (expected) return `an array whose item ${index + 1} is ${expected}`;
    }
    return null;
  };

/** An object with these fields; others may be there, too. A name that ends in `?` may be missing. */
export const shape =
  (fields: Record<string, Check>): Check =>
  (value) => {
    if (!isObject(value)) return 'an object';
    for (const [name, check] of Object.entries(fields)) {
      const key = name.replace(/\?$/, '');
      if (key !== name && value[key] === undefined) continue;
      const expected = check(value[key]);
      if (expected) return `an object whose '${key}' is ${expected}`;
    }
    return null;
  };

export const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value) === null) ? null : checks.map((check) => check(value)).join(' or ');

export const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? null : `one of ${words.join(', ')}`;

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}
