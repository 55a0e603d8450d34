import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, tryParseJson } from '../../src/util/json.ts';
import { ROOT } from '../support/root.ts';

const FOLDER = join(ROOT, 'test/golden/wire');

/** One line of a recording, and who wrote it. */
export interface Recorded {
  dir: 'in' | 'out';
  line: JsonObject;
}

export interface Recording {
  name: string;
  lines: Recorded[];
}

/** Every recorded scenario: the dialog where there is one, else what the agent printed. */
export function recordings(): Recording[] {
  const files = readdirSync(FOLDER);
  const dialogs = files.filter((file) => file.endsWith('.dialog.ndjson'));
  const names = new Set(dialogs.map(scenarioOf));
  const prints = files.filter((file) => file.endsWith('.stdout.ndjson') && !names.has(scenarioOf(file)));
  return [...dialogs, ...prints].map((file) => ({ name: file, lines: linesIn(file) }));
}

function scenarioOf(file: string): string {
  return file.slice(0, file.indexOf('.'));
}

function linesIn(file: string): Recorded[] {
  const records = readFileSync(join(FOLDER, file), 'utf8').split('\n').slice(1).map(tryParseJson).filter(isObject);
  if (!file.endsWith('.dialog.ndjson')) return records.map((line) => ({ dir: 'out', line }));
  return records.flatMap(({ dir, msg }) =>
    (dir === 'in' || dir === 'out') && isObject(msg) ? { dir, line: msg } : [],
  );
}
