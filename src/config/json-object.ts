import { errorCode } from '../util/error-code.ts';
import { readSmallFile } from '../util/files/small-file.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { jsonProblem } from './settings/settings-file.ts';

const MAX_BYTES = 1024 * 1024;

/** The object in a JSON file; null when the file is missing. Throws when the file does not contain an object. */
export function readJsonObject(path: string): JsonObject | null {
  let text: string;
  try {
    text = readSmallFile(path, MAX_BYTES).toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const values = parsed(text.replace(/^\uFEFF/, ''));
  if (isObject(values)) return values;
  throw new Error('it does not hold a JSON object');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not valid JSON: ${jsonProblem(error)}`);
  }
}
