import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadShellParser } from '../../src/permissions/shell/shell-parser.ts';
import { installedPrograms, tryPrograms } from '../support/traced-programs.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const isTraceable = spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-traced-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(!isTraceable)('every program of the grammars that is installed', () => {
  test('[K44] [R-3] does nothing beyond its grammar with options of its own help, as long as its words count as known', async () => {
    const { tried, leftOut } = installedPrograms();
    for (const { name, why } of leftOut) process.stdout.write(`not run: ${name}: ${why}\n`);
    const parse = await loadShellParser();
    const { wrong, known } = tryPrograms(tried, {
      draws: trustSize('ROUNDS', 12),
      seed: trustSize('SEED', 1),
      root,
      parse,
    });
    const runs = [...known.values()].reduce((sum, each) => sum + each, 0);
    for (const name of tried) if (!known.has(name)) process.stdout.write(`never known as drawn: ${name}\n`);
    figure(
      'R-3',
      `${known.size} of ${tried.length} programs traced in ${runs} runs, ${leftOut.length} left out; ${wrong.length} surprises`,
    );
    expect(wrong).toEqual([]);
  }, 3_600_000);
});
