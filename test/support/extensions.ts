import { join } from 'node:path';
import { type Finished, type RunningCli, runCli, STREAM_OUT } from './cli.ts';
import { initOf, type Line } from './lines.ts';
import type { Place } from './place.ts';
import { put } from './put.ts';
import { readEntries, sessionFile } from './session-files.ts';

/** A skill that takes a name. */
export const GREET = '---\nname: greet\ndescription: Greets people\n---\nSay hi to $ARGUMENTS.\n';

/** Files of the project, by their path below `.claude`. */
export function project({ cwd }: Place, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) put(join(cwd, '.claude', name), text);
}

/** Files of the user, by their path below the config home. */
export function user({ home }: Place, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) put(join(home, name), text);
}

export function run(place: Place, prompt: string, ...flags: string[]): Promise<Finished> {
  return runCli([...STREAM_OUT, prompt, ...flags], { place });
}

/** One turn of a session that stays open: its lines. */
export async function ask(cli: RunningCli, content: string): Promise<Line[]> {
  const from = cli.lines.length;
  cli.say(content);
  await cli.nextResult();
  return cli.lines.slice(from);
}

/** What the session of these lines has on disk. */
export function entriesOf(place: Place, lines: readonly Line[]): Line[] {
  return readEntries(sessionFile(place, String(initOf(lines).session_id)));
}
