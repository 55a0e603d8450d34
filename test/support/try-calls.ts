import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerLike } from '../../src/testing/index.ts';
import { type Finished, runCli, STREAM_OUT } from './cli.ts';
import { makePlace, type Place } from './place.ts';

/** What came of calls that a model has asked for, one after the other in one session. */
export interface CallsTried extends Finished {
  place: Place;
  /** All that the model was told, as the API got it. */
  told: string;
  denied: number;
}

/** Has the model ask for each call in a place that was prepared for it. */
export async function tryCalls(
  prepare: (place: Place) => readonly AnswerLike[],
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string | undefined> } = {},
): Promise<CallsTried> {
  let calls: readonly AnswerLike[] = [];
  const place = await makePlace((_request, index) => calls[index] ?? 'Done.');
  calls = prepare(place);
  const run = await runCli([...STREAM_OUT, 'go', ...flags], { place, env });
  const told = place.api.requests.map(({ text }) => text).join('\n');
  const denied = (run.lines.at(-1)?.permission_denials as unknown[] | undefined)?.length ?? Number.NaN;
  return { ...run, place, told, denied };
}

/** Every file below a folder with its bytes, as one text to compare. */
export function bytesBelow(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => `${name}: ${bytesOf(join(folder, name))}`).join('\n');
}

function bytesOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stat.isFile() ? readFileSync(path, 'utf8') : 'no file';
}
