import { readFileSync } from 'node:fs';
import { errorCode } from '../util/error-code.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** The object in a JSON file; null when there is no such file. Throws when it holds none. */
export function readJsonObject(path: string): JsonObject | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const values: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (isObject(values)) return values;
  throw new Error('it does not hold a JSON object');
}
