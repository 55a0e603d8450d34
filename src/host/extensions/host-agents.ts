import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemReason } from '../../util/files/system-reason.ts';
import { isFilled, isObject, isTexts, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';

/** The agents of `--agents`, as JSON or in a JSON file, by name. Throws `invalid_option` for an invalid one. */
export function readHostAgents(given: string, cwd: string): JsonObject {
  const agents = parse(/^\s*[{[]/.test(given) ? given : readText(resolve(cwd, given)));
  if (!isObject(agents)) throw invalid('give an object: {"<name>": {"description": "…", "prompt": "…"}}');
  for (const [name, definition] of Object.entries(agents)) {
    const problem = problemOf(definition);
    if (problem !== null) throw invalid(`${name}: ${problem}`);
  }
  return agents;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid(`this is no JSON, and ${path} cannot be read as a file: ${systemReason(cause)}`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`this is no JSON: ${messageOf(cause)}`);
  }
}

function problemOf(definition: unknown): string | null {
  if (!isObject(definition)) return 'an agent is an object with a description and a prompt';
  const missing = ['description', 'prompt'].find((key) => !isFilled(definition[key]));
  if (missing !== undefined) return `its ${missing} must be a text`;
  const noList = ['tools', 'disallowedTools'].find((key) => !isAbsentOr(isTexts, definition[key]));
  if (noList !== undefined) return `its ${noList} must be a list of names`;
  const noText = ['model', 'permissionMode'].find((key) => !isAbsentOr(isFilled, definition[key]));
  return noText === undefined ? null : `its ${noText} must be a text`;
}

function isAbsentOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || is(value);
}

function invalid(problem: string): HeddleError {
  return new HeddleError('invalid_option', `--agents: ${problem}`);
}
