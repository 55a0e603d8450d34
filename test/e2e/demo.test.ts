import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { textOfPicture } from '../../scripts/lib/terminal-svg.mjs';
import { ROOT } from '../support/root.ts';

const demo = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/demo.mjs')], {
  cwd: ROOT,
  env: { ...process.env, NO_COLOR: '1' },
});

test('the demo keeps three promises, offline: the run fails where one is broken', async () => {
  const { stdout } = await demo; // it decides by files and processes, and exits 1 otherwise
  expect(stdout.match(/✔ .*/g)).toEqual([
    '✔ 7 messages were printed before, 0 of them are lost',
    '✔ nothing is left running: the build ended with its agent',
    '✔ the fix was there, and the conversation went on',
    '✔ 6 forms of one command: all denied, no push',
    '✔ back on the old branch, loom.txt is "warp and wfet" again: nothing is lost',
  ]);
  expect(stdout).toContain('Three promises kept');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('the picture of it in the README shows what it prints (`npm run pictures` draws it)', async () => {
  const { stdout } = await demo;
  const picture = readFileSync(join(ROOT, 'docs/pictures/demo.svg'), 'utf8');
  const printed = stdout.split('Now you:')[0] ?? '';
  expect(textOfPicture(picture).map(steady)).toEqual(
    printed
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => steady(line.trimEnd())),
  );
});

/** Without the time that it took. */
function steady(line: string): string {
  return line.replace(/\d+\.\d s/, 'N s');
}
