import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { ROOT } from '../support/root.ts';

/** The sections of docs/reference/wire.md by their headings; each shows one kind of line. */
export const sections = readSections();

function readSections(): ReadonlyMap<string, string> {
  const page = readFileSync(join(ROOT, 'docs/reference/wire.md'), 'utf8');
  const parts = page.split(/^### (.*)$/m).slice(1);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : [])));
}

/** The lines of a section's example. */
export function examplesOf(title: string): JsonObject[] {
  const [, code = ''] = /```json\n([\s\S]*?)```/.exec(sections.get(title) ?? '') ?? [];
  return code
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

export interface Exchange {
  asked: JsonObject;
  /** `{ subtype: 'success', response }`, or `{ subtype: 'error', error }`. */
  answered: JsonObject;
}

/** What is asked in a section such as `host: interrupt`, and the answer. */
export function exchangeOf(title: string): Exchange {
  const [request, response] = examplesOf(title);
  if (!isObject(request?.request) || !isObject(response?.response)) throw new Error(`${title} shows no exchange`);
  return { asked: request.request, answered: response.response };
}
