import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { makePlace } from '../support/place.ts';
import { hasTmux, openPane } from '../support/tmux-pane.ts';

const inTmux = test.skipIf(!hasTmux);

inTmux.each([
  ['1', false, false],
  ['2', true, true],
  ['3', true, false],
])('nothing of a project runs before it is trusted: the answer %s', async (digit, runs, isKept) => {
  const place = await makePlace(['Hello.', 'Hello again.']);
  const command = 'touch hook-ran';
  mkdirSync(join(place.cwd, '.claude'), { recursive: true });
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command }] }] };
  writeFileSync(join(place.cwd, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  const pane = openPane(place, '"say hello"');
  await pane.sees(/This project is not trusted yet[\s\S]*settings\.json[\s\S]*touch hook-ran[\s\S]*❯ 1 Not now/);
  expect(place.api.requests).toHaveLength(0);
  expect(existsSync(join(place.cwd, 'hook-ran'))).toBe(false);
  await settled();
  pane.keys(digit);
  await pane.sees('Hello.');
  expect(existsSync(join(place.cwd, 'hook-ran'))).toBe(runs);
  const trustFile = join(place.home, 'trust.json');
  expect(existsSync(trustFile) && readFileSync(trustFile, 'utf8').includes('hash')).toBe(isKept);
  await pane.sees('? for keys');
  pane.keys('C-d', 'C-d');
  await pane.isOver();
});

/** Longer than a question waits for quiet, and than it ignores keys. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 500));

inTmux('a bug is fixed: the change is seen and approved, the test is run by a rule that is kept', async () => {
  const edit = { file_path: 'sum.mjs', old_string: 'a - b', new_string: 'a + b' };
  const run = { command: 'node check.mjs > out.txt' };
  const place = await makePlace([
    toolUse('Read', { file_path: 'sum.mjs' }),
    toolUse('Edit', edit),
    toolUse('Bash', run),
    'It is fixed.',
  ]);
  mkdirSync(place.cwd, { recursive: true });
  writeFileSync(join(place.cwd, 'sum.mjs'), 'export const sum = (a, b) => a - b;\n');
  writeFileSync(join(place.cwd, 'check.mjs'), "import { sum } from './sum.mjs';\nconsole.log(sum(1, 2));\n");
  const pane = openPane(place, '"fix the sum"');
  await pane.sees(/- export const sum = \(a, b\) => a - b;\n[\s\S]*\+ export const sum = \(a, b\) => a \+ b;/);
  await pane.sees('shift+tab: back');
  expect(readFileSync(join(place.cwd, 'sum.mjs'), 'utf8')).toContain('a - b');
  await settled();
  pane.keys('1');
  await pane.sees('✓ allowed once · Edit sum.mjs');
  await pane.sees(/writes \S*out\.txt/);
  await pane.sees('3 Yes, and always in this project:');
  await settled();
  pane.keys('3');
  await pane.sees('It is fixed.');
  expect(readFileSync(join(place.cwd, 'out.txt'), 'utf8')).toBe('3\n');
  const kept = () => readFileSync(join(place.cwd, '.claude', 'settings.local.json'), 'utf8');
  await vi.waitFor(() => expect(kept()).toContain('Bash(node check.mjs > out.txt)'));
  await pane.sees('? for keys');
  pane.keys('C-d', 'C-d');
  await pane.isOver();
});
