import { isUtf8 } from 'node:buffer';
import { lstatSync } from 'node:fs';
import { errorCode } from '../../util/error-code.ts';
import { readSmallFile } from '../../util/files/small-file.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import { duplicateKey } from './duplicate-key.ts';

/** Maps a file's values to its new ones; null leaves the file unchanged. Called again when the lock was lost. */
export type Change = (values: JsonObject) => JsonObject | null;

/**
 * The settings in a file; null when the file is missing. An unreadable file is an error, because it may contain a rule.
 */
export function readSettingsFile(path: string): JsonObject | null {
  const text = readRegularFile(path);
  return text === null ? null : parseSettings(text, path);
}

const MAX_BYTES = 1024 * 1024;

/**
 * The text of a configuration file; null when it is missing. Heddle reads a project's files before the user trusts it:
 * a link to a device or a pipe must not block, nor an endless file fill the memory.
 */
export function readRegularFile(path: string): string | null {
  try {
    return decoded(readSmallFile(path, MAX_BYTES), path);
  } catch (cause) {
    if (HeddleError.isInstance(cause)) throw cause;
    const code = errorCode(cause);
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !isLink(path)) return null;
    throw refuseSettings(`Settings cannot be read: ${messageOf(cause)}`, cause);
  }
}

/** Refuses bytes that are not text: read as other characters, a rule would forbid something else. */
function decoded(bytes: Buffer, path: string): string {
  if (!isUtf8(bytes)) throw refuseSettings(`Settings cannot be read: ${path} is not valid UTF-8`);
  return bytes.toString();
}

/** A broken link once led to rules. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // the folder is missing, too
  }
}

/** `where` names the settings in errors: a path, or a flag. An empty file has no settings. */
export function parseSettings(text: string, where: string): JsonObject {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const problem = `Settings are not valid JSON (${where}${positionIn(json)}): ${jsonProblem(cause)}`;
    throw new HeddleError('invalid_settings', problem, { facts: { brokenFile: where } });
  }
  if (!isObject(value)) throw refuseSettings(`Settings are not a JSON object (${where})`);
  const twice = duplicateKey(json);
  if (twice !== null) throw refuseSettings(`Settings hold ${twice} twice, so that only one would act (${where})`);
  return value;
}

export function refuseSettings(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_settings', message, { cause });
}

/** Why the text is not JSON, without the parser's quote of it: the quote may contain a key. */
export function jsonProblem(error: unknown): string {
  return messageOf(error).replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '');
}

/** The position is not searched in a longer text, because the search parses the text many times. */
const MAX_SEARCHED_CHARS = 128 * 1024;

/** `, line 3, column 7`: where the text stops being JSON. The parser does not always report it. */
function positionIn(text: string): string {
  if (text.length > MAX_SEARCHED_CHARS) return '';
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

/** Whether more text could complete it to JSON. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = messageOf(error);
    return /Unexpected end|Unterminated/.test(message) || message.includes(`at position ${text.length}`);
  }
}
