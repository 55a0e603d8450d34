import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { afterTest } from './after-test.ts';
import { CLI } from './cli.ts';
import { createEmulator } from './emulator.ts';
import type { Place } from './place.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const PATIENCE = { timeout: 20_000, interval: 100 };

/** The command line in a shell in tmux, as a person has it. */
export interface Pane {
  /** Names of keys, or text, as tmux takes them. */
  keys(...keys: string[]): void;
  /** What is seen, with the scrollback. */
  shown(): string;
  sees(text: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  title(): string;
  /** The process of the command line. */
  pid(): number;
  /** What is in a file of the place. */
  read(name: string): string;
  /** The terminal reads nothing any more, and reads again. */
  stall(): void;
  goOn(): void;
  /** Waits for the end, and checks that the terminal is as before. */
  isOver(): Promise<void>;
  /** The same after a kill: what restores it needs a moment longer than the shell. */
  isRestored(): Promise<void>;
}

export interface PaneOptions {
  env?: Record<string, string>;
  /** Options of Node. */
  node?: string;
}

let panes = 0;

/** Runs `heddle command` in a new tmux of its own. */
export function openPane(place: Place, command: string, { env = {}, node = '' }: PaneOptions = {}): Pane {
  const socket = `heddle-test-${process.pid}-${++panes}`;
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
  const words = Object.entries({ ...place.env, TERM: 'xterm-256color', PS1: '$ ', HISTFILE: '', ...env })
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, value]) => `${name}=${value}`);
  mkdirSync(place.cwd, { recursive: true });
  const shell = ['env', '-i', ...words, 'bash', '--norc', '-i'];
  const size = ['-x', '90', '-y', '30'];
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', 'new-session', '-d', ...size, '-s', 'a', ...shell], {
    cwd: place.cwd,
  });
  const server = Number(tmux('display-message', '-p', '#{pid}'));
  const goOn = () => void process.kill(server, 'SIGCONT');
  afterTest(() => {
    goOn();
    spawnSync('tmux', ['-L', socket, 'kill-server']);
  });
  const bytes = join(place.root, 'bytes');
  tmux('pipe-pane', '-t', 'a', `cat >> '${bytes}'`);
  const isThere = (name: string) => vi.waitFor(() => expect(existsSync(join(place.cwd, name))).toBe(true), PATIENCE);
  const pane: Pane = {
    keys: (...keys) => void tmux('send-keys', '-t', 'a', ...keys),
    shown: () => tmux('capture-pane', '-t', 'a', '-p', '-S', '-200'),
    sees: (text) => vi.waitFor(() => expect(pane.shown()).toMatch(text), PATIENCE),
    resize: (columns, rows) => void tmux('resize-window', '-t', 'a', '-x', String(columns), '-y', String(rows)),
    title: () => tmux('display-message', '-p', '-t', 'a', '#{pane_title}').trim(),
    pid: () => Number(readFileSync(join(place.cwd, 'pid'), 'utf8')),
    read: (name) => readFileSync(join(place.cwd, name), 'utf8'),
    stall: () => void process.kill(server, 'SIGSTOP'),
    goOn,
    async isOver() {
      await isThere('over');
      expect(pane.read('after')).toBe(pane.read('before'));
      await modesAreOff(bytes);
    },
    async isRestored() {
      await isThere('over');
      pane.keys('stty -g > later; touch asked', 'Enter');
      await isThere('asked');
      expect(pane.read('later')).toBe(pane.read('before'));
      await modesAreOff(bytes);
    },
  };
  const run = `exec ${process.execPath} ${node} ${CLI} ${command}`;
  tmux(
    'send-keys',
    '-t',
    'a',
    '-l',
    `stty -g > before; sh -c 'echo $$ > pid; ${run}'; echo ended $?; stty -g > after; touch over`,
  );
  pane.keys('Enter');
  return pane;
}

/** Plays all that the terminal got, and looks which modes are on in the end. */
async function modesAreOff(file: string): Promise<void> {
  await vi.waitFor(async () => {
    const text = readFileSync(file, 'utf8');
    const { terminal, write } = createEmulator({ columns: 90, rows: 30 });
    await write(text);
    const { sendFocusMode, mouseTrackingMode, applicationCursorKeysMode } = terminal.modes;
    // Bash switches pastes in brackets on for its own line, and off for a command.
    const last = (on: string, off: string) => text.lastIndexOf(on) > text.lastIndexOf(off);
    expect({
      ...{ sendFocusMode, mouseTrackingMode, applicationCursorKeysMode },
      screen: terminal.buffer.active.type,
      isCursorHidden: last('\x1b[?25l', '\x1b[?25h'),
      isFrameOpen: last('\x1b[?2026h', '\x1b[?2026l'),
      hasOtherKeys: last('\x1b[>4;2m', '\x1b[>4;0m') || last('\x1b[>5u', '\x1b[<u'),
    }).toEqual({
      ...{ sendFocusMode: false, mouseTrackingMode: 'none' },
      ...{ applicationCursorKeysMode: false, screen: 'normal', isCursorHidden: false, isFrameOpen: false },
      hasOtherKeys: false,
    });
  }, PATIENCE);
}
