import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

test('the demo fixes a failing test offline and says what to try next', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/demo.mjs')], { cwd: ROOT });
  const folder = /A project with a failing test: (.*)\/project/.exec(stdout)?.[1] ?? '';
  expect(folder).toMatch(/heddle-demo-/);
  rmSync(folder, { recursive: true });
  const [before, after] = stdout.split('● Edit sum.js: a - b → a + b');
  expect(before).toMatch(/● Bash node --test[\s\S]*└ failed[\s\S]*● Read sum\.js[\s\S]*└ ok/);
  expect(after).toMatch(/● Bash node --test[\s\S]*└ ok[\s\S]*Done in [\d.]+ s: \d+ turns, \d+ tokens, \$0\.00/);
  expect(after).toMatch(/Session [0-9a-f-]{36}/);
  expect(after).toContain('--continue');
});
