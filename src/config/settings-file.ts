import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';

/** The settings in a file; null when there is no such file. What cannot be read is an error: a rule might be in it. */
export function readSettingsFile(path: string): JsonObject | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw refuseSettings(`Settings cannot be read: ${messageOf(cause)}`, cause);
  }
  return parseSettings(text, path);
}

/** `where` names the settings in errors: a path, or the flag that gave them. An empty file has no settings. */
export function parseSettings(text: string, where: string): JsonObject {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw refuseSettings(`Settings are not valid JSON (${where}${placeOf(json)}): ${messageOf(cause)}`, cause);
  }
  if (isObject(value)) return value;
  throw refuseSettings(`Settings are not a JSON object (${where})`);
}

export function refuseSettings(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_settings', message, { cause });
}

/** `, line 3, column 7`: where the text stops being JSON. The parser itself does not always tell. */
function placeOf(text: string): string {
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const before = text.slice(0, good).split('\n');
  return `, line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Whether more text could make it JSON. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = messageOf(error);
    return /Unexpected end|Unterminated/.test(message) || message.includes(`at position ${text.length}`);
  }
}
