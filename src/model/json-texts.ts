import { isObject } from '../util/json.ts';

/** A copy of any JSON value with every text in it changed, keys included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), mapTexts(inner, change)]));
}

/** A text as it appears between the quotes of a JSON text. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The secret as it is, in JSON, and in JSON within JSON: it must not get through in any of these texts. */
export function spellings(secret: string): string[] {
  return [secret, escapeJson(secret), escapeJson(escapeJson(secret))];
}
