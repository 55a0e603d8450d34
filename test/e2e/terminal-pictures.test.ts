import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { playScenes } from '../../scripts/lib/terminal-scenes.mjs';
// @ts-expect-error a script without declarations
import { textOfPicture } from '../../scripts/lib/terminal-svg.mjs';
import { ROOT } from '../support/root.ts';

interface Played {
  name: string;
  rows: string[];
}

test('the pictures of the terminal show what it shows (`npm run pictures` draws them)', async () => {
  for (const { name, rows } of (await playScenes()) as Played[]) {
    const picture = readFileSync(join(ROOT, `docs/pictures/${name}.svg`), 'utf8');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal reads
    const seen = rows.map((row) => row.replaceAll(/\u001b\[[\d;]*m/g, '').trimEnd()).filter((row) => row !== '');
    expect(textOfPicture(picture).map(steady), name).toEqual(seen.map(steady));
  }
}, 120_000);

/** Without what is another one each time: names of tasks, times, sizes. */
function steady(line: string): string {
  return line
    .replace(/\bb[0-9a-f]{6}\b/, 'ID')
    .replace(/just now|\d+ s\b/, 'TIME')
    .replaceAll(/\d+/g, 'N');
}
