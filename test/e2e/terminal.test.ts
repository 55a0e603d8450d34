import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hang } from '../../src/testing/index.ts';
import { makePlace, type Place } from '../support/place.ts';
import { hasTmux, openPane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: the terminal is not tried end to end');
const inTmux = test.skipIf(!hasTmux);

const HELLO = 'A **bold** answer.\n\n- one\n- two\n';

inTmux('a prompt, its answer, a question, and leaving', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '');
  await pane.sees(/heddle \d.*\n[\s\S]*❯/);
  pane.keys('say hello', 'Enter');
  await pane.sees(/❯ say hello\n\nA bold answer\.\n\n- one\n- two/);
  expect(place.api.requests).toHaveLength(1);
  await pane.sees('? for keys');
  pane.keys('/exit', 'Enter');
  await pane.isOver();
  expect(pane.shown()).toMatch(/ended 0/);
  expect(pane.shown()).toMatch(/heddle -r [0-9a-f]{8} continues it/);
  expect(pane.shown()).not.toContain('? for keys');
});

inTmux('a prompt argument is sent at once; a resize keeps what was said', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '"say hello"');
  await pane.sees('- two');
  pane.resize(50, 20);
  await pane.sees('A bold answer.');
  pane.resize(100, 30);
  pane.keys('typed');
  await pane.sees('❯ typed');
  expect(pane.shown().match(/A bold answer/g)).toHaveLength(1);
  pane.keys('C-c', 'C-d', 'C-d');
  await pane.isOver();
});

inTmux('Ctrl+Z gives the terminal back to the shell, fg continues', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '');
  await pane.sees(/heddle \d[\s\S]*for keys/);
  pane.keys('a draft');
  await pane.sees('❯ a draft');
  pane.keys('C-z');
  await pane.sees('Stopped');
  pane.keys('stty -g > stopped; fg', 'Enter');
  await pane.sees(/fg\n[\s\S]*❯ a draft/);
  expect(pane.read('stopped')).toBe(pane.read('before'));
  expect(pane.shown()).not.toContain('no shell');
  pane.keys('C-c', 'C-d', 'C-d');
  await pane.isOver();
});

inTmux.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)('after %s the terminal is as it was, and the exit code is %i', async (signal, code) => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '');
  await pane.sees('for keys');
  await vi.waitFor(() => expect(pane.shown()).toContain('heddle '));
  process.kill(pane.pid(), signal);
  await pane.isOver();
  expect(pane.shown()).toContain(`ended ${code}`);
});

inTmux('after SIGKILL the terminal is as it was, and the person is told how to go on', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '"say hello"');
  await pane.sees('- two');
  process.kill(pane.pid(), 'SIGKILL');
  await pane.sees('heddle -c goes on');
  await pane.isRestored();
});

inTmux('after an exception in its own code the terminal is as it was, and a report tells where, not what', async () => {
  const place = await makePlace([hang()]);
  const preload = join(place.root, 'provoke.cjs');
  writeFileSync(preload, "process.on('SIGUSR2', () => { throw new TypeError('a secret of the conversation'); });");
  const pane = openPane(place, '"say hello"', { node: `--require ${preload}` });
  await vi.waitFor(() => expect(place.api.requests).toHaveLength(1), 15_000);
  process.kill(pane.pid(), 'SIGUSR2');
  await pane.isOver();
  expect(pane.shown()).toMatch(/ended 1\n/);
  expect(pane.shown()).toMatch(/the terminal failed: a secret of the conversation[\s\S]*heddle -c continues it/);
  const folder = join(place.home, 'reports');
  const report = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
  expect(report).toContain('provoke.cjs:1:');
  expect(report).not.toContain('secret');
});

inTmux.each(['SIGTSTP', 'SIGSTOP'] as const)(
  '[TUI-20] %s from outside: the shell has its terminal, fg draws anew, also in a window of another size',
  async (signal) => {
    const place = await makePlace([HELLO]);
    const pane = openPane(place, '');
    await pane.sees(/heddle \d[\s\S]*for keys/);
    pane.keys('a draft');
    await pane.sees('❯ a draft');
    process.kill(pane.pid(), signal);
    await pane.sees('Stopped');
    pane.resize(60, 20);
    pane.keys('stty -g > stopped; echo in the $((40 + 2))', 'Enter');
    await pane.sees('in the 42');
    expect(pane.read('stopped')).toBe(pane.read('before'));
    pane.keys('fg', 'Enter');
    await pane.sees(/in the 42[\s\S]*❯ a draft/);
    pane.keys(' goes on');
    await pane.sees('❯ a draft goes on');
    expect(pane.shown()).toContain('in the 42');
    pane.keys('C-c', 'C-d', 'C-d');
    await pane.isOver();
  },
);

inTmux('bg: nothing is drawn until the terminal is its own again', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '');
  await pane.sees(/heddle \d[\s\S]*for keys/);
  pane.keys('C-z');
  await pane.sees('Stopped');
  pane.keys('bg', 'Enter', 'echo still the $((40 + 2))', 'Enter');
  await pane.sees('still the 42');
  expect(pane.shown().split('still the 42')[1]).not.toContain('❯');
  pane.keys('fg', 'Enter');
  await pane.sees(/still the 42[\s\S]*❯/);
  await pane.sees('? for keys');
  pane.keys('C-d', 'C-d');
  await pane.isOver();
});

inTmux('a terminal that does not read holds up nothing; the answer is there when it reads again', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const place = await makePlace(async () => {
    await held;
    return `${'A long row of the answer.\n\n'.repeat(3000)}The end.`;
  });
  const pane = openPane(place, '"say it"');
  await vi.waitFor(() => expect(place.api.requests).toHaveLength(1), 15_000);
  pane.stall();
  answer();
  // The turn is over although nobody has read a byte of it.
  await vi.waitFor(() => expect(transcripts(place)).toContain('The end.'), { timeout: 20_000, interval: 100 });
  pane.goOn();
  await pane.sees('The end.');
  await pane.sees('? for keys');
  pane.keys('C-d', 'C-d');
  await pane.isOver();
});

function transcripts({ home }: Place): string {
  const folder = join(home, 'projects');
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

inTmux('a log for reports has no word of the session', async () => {
  const place = await makePlace(['An answer nobody may read.']);
  const log = join(place.root, 'tui.log');
  const pane = openPane(place, '"whisper this"', { env: { HEDDLE_TUI_LOG: log } });
  await pane.sees('nobody may read');
  await pane.sees('? for keys');
  pane.keys('C-d', 'C-d');
  await pane.isOver();
  const text = readFileSync(log, 'utf8');
  expect(text).toContain('?2026h');
  expect(text).not.toMatch(/whisper|nobody|answer/);
});
