import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { GivenOptions } from './options.ts';

/**
 * The value of `--settings`, a single flag: the options `settings` and `sandbox` as one JSON text. A settings file
 * stays a path unless something has to be added to it. Throws `invalid_option` for a file that cannot be read.
 */
export function settingsText({ settings, sandbox, cwd }: GivenOptions): string | undefined {
  if (sandbox === undefined) return isObject(settings) ? JSON.stringify(settings) : settings;
  const base = settings === undefined || isObject(settings) ? (settings ?? {}) : readRaw(settings, cwd ?? '.');
  const merged = { ...(isObject(base.sandbox) ? base.sandbox : {}), ...sandbox };
  // Set explicitly, because another agent may run without a sandbox that it cannot have.
  const required = sandbox.enabled && merged.failIfUnavailable === undefined && { failIfUnavailable: true };
  return JSON.stringify({ ...base, sandbox: { ...merged, ...required } });
}

function readRaw(settings: string, cwd: string): JsonObject {
  const parsed = tryParseJson(settings.trimStart().startsWith('{') ? settings : readFile(resolve(cwd, settings)));
  if (isObject(parsed)) return parsed;
  throw refuse('options.settings is no JSON object, so options.sandbox cannot be added to it');
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refuse(`options.settings cannot be read: ${messageOf(cause)}`, cause);
  }
}

function refuse(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option: 'settings' }, cause });
}
