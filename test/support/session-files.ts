import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './lines.ts';
import type { Place } from './place.ts';

/** The transcripts of a place, by path, oldest name first. */
export function sessionFiles({ home }: Pick<Place, 'home'>): string[] {
  const projects = join(home, 'projects');
  if (!existsSync(projects)) return []; // a run that never started makes no folder
  return readdirSync(projects, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(projects, name))
    .sort();
}

export function sessionFile(place: Place, sessionId: string): string {
  const file = sessionFiles(place).find((path) => path.endsWith(`${sessionId}.jsonl`));
  if (!file) throw new Error(`There is no file of session ${sessionId}`);
  return file;
}

/** The entries of a transcript. Throws for a line that is no JSON, except a torn last one if that is permitted. */
export function readEntries(file: string, options: { tornEnd?: boolean } = {}): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const end = lines.pop() ?? '';
  if (end !== '' && !options.tornEnd) throw new Error(`The file ends in the middle of a line: ${end.slice(0, 80)}`);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** The entries of all transcripts of a place. */
export function storedEntries(place: Place): Line[] {
  return sessionFiles(place).flatMap((file) => readEntries(file));
}
