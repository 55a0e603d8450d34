import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { ROOT } from '../support/root.ts';

/** The scenarios that Heddle is held to, and more of the reference's lines that its schemas must read. */
const FOLDERS = [join(ROOT, 'test/golden/wire'), join(ROOT, 'test/wire/golden')];

export interface Recording {
  name: string;
  records: JsonObject[];
}

/** The golden transcripts of one kind, such as `stdout` or `session`; of one CLI version if named. */
export function recordings(kind: string, version = ''): Recording[] {
  const isWanted = new RegExp(`${version.replaceAll('.', '\\.')}\\.${kind}(-\\w+)?\\.ndjson$`);
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => isWanted.test(name))
      .map((name) => ({ name, records: readRecords(join(folder, name)) })),
  );
}

/** Every line of the given kind with the file it is from, without what is not a line of the protocol. */
export function recordedLines(kind: string, version?: string): { name: string; line: JsonObject }[] {
  return recordings(kind, version).flatMap(({ name, records }) =>
    records.filter((line) => typeof line.type === 'string').map((line) => ({ name, line })),
  );
}

function readRecords(path: string): JsonObject[] {
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line): JsonObject[] => withTimes(JSON.parse(line)) as JsonObject[]).filter(isObject);
}

/** Recordings have 0 where a real line has a time as text. */
function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      isTime(key) && field === 0 ? '2026-01-01T00:00:00.000Z' : withTimes(field),
    ]),
  );
}

function isTime(key: string): boolean {
  return key === 'timestamp' || key === 'backupTime';
}
