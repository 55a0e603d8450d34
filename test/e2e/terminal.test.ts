import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { afterTest } from '../support/after-test.ts';
import { CLI } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is not installed: the terminal is not tried end to end');
const inTmux = test.skipIf(!hasTmux);

let panes = 0;

interface Pane {
  keys(...keys: string[]): void;
  shown(): string;
  sees(text: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The process of the command line. */
  pid(): number;
  /** What is in a file of the place. */
  read(name: string): string;
}

/** A shell in tmux, which runs `before`, the command line, `after`. */
function openPane(place: Place, command: string): Pane {
  const socket = `heddle-test-${process.pid}-${++panes}`;
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
  const env = Object.entries({ ...place.env, TERM: 'xterm-256color', PS1: '$ ', HISTFILE: '' })
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, value]) => `${name}=${value}`);
  mkdirSync(place.cwd, { recursive: true });
  execFileSync(
    'tmux',
    [
      '-L',
      socket,
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '90',
      '-y',
      '30',
      '-s',
      'a',
      'env',
      '-i',
      ...env,
      'bash',
      '--norc',
      '-i',
    ],
    { cwd: place.cwd },
  );
  afterTest(() => spawnSync('tmux', ['-L', socket, 'kill-server']));
  const pane: Pane = {
    keys: (...keys) => void tmux('send-keys', '-t', 'a', ...keys),
    shown: () => tmux('capture-pane', '-t', 'a', '-p', '-S', '-200'),
    sees: (text) => vi.waitFor(() => expect(pane.shown()).toMatch(text), { timeout: 20_000, interval: 100 }),
    resize: (columns, rows) => void tmux('resize-window', '-t', 'a', '-x', String(columns), '-y', String(rows)),
    pid: () => Number(readFileSync(join(place.cwd, 'pid'), 'utf8')),
    read: (name) => readFileSync(join(place.cwd, name), 'utf8'),
  };
  const line = `stty -g > before; sh -c 'echo $$ > pid; exec ${process.execPath} ${CLI} ${command}'; echo ended $?; stty -g > after; touch over`;
  tmux('send-keys', '-t', 'a', '-l', line);
  pane.keys('Enter');
  return pane;
}

async function isOver(place: Place, pane: Pane): Promise<void> {
  await vi.waitFor(() => expect(existsSync(join(place.cwd, 'over'))).toBe(true), { timeout: 20_000, interval: 100 });
  expect(pane.read('after')).toBe(pane.read('before'));
}

const HELLO = 'A **bold** answer.\n\n- one\n- two\n';

inTmux('a prompt, its answer, a question, and leaving', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '');
  await pane.sees(/heddle \d.*\n[\s\S]*❯/);
  pane.keys('say hello', 'Enter');
  await pane.sees(/❯ say hello\n\nA bold answer\.\n\n- one\n- two/);
  expect(place.api.requests).toHaveLength(1);
  pane.keys('/exit', 'Enter');
  await isOver(place, pane);
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
  await isOver(place, pane);
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
  await isOver(place, pane);
  expect(pane.shown()).toContain(`ended ${code}`);
});

inTmux('after SIGKILL the terminal is as it was, and the person is told how to go on', async () => {
  const place = await makePlace([HELLO]);
  const pane = openPane(place, '"say hello"');
  await pane.sees('- two');
  process.kill(pane.pid(), 'SIGKILL');
  await pane.sees('heddle -c goes on');
  await vi.waitFor(() => expect(existsSync(join(place.cwd, 'over'))).toBe(true), { timeout: 20_000 });
  pane.keys('stty -g > later; touch asked', 'Enter');
  await vi.waitFor(() => expect(readdirSync(place.cwd)).toContain('asked'), { timeout: 20_000 });
  expect(pane.read('later')).toBe(pane.read('before'));
});
