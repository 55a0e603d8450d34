// Scenes of the terminal: the built command line in a pseudo terminal (util-linux `script`), with the offline model and
// scripted keys, drawn by an emulator. What is on the screen at the end of a scene is its picture.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import headless from '@xterm/headless';
import { root } from './tree.mjs';

const CLI = join(root, 'dist/heddle.cjs');
const COLUMNS = 84;
const ROWS = 26;
const PATIENCE_MS = 20_000;

/** `steps`: keys to type, and what must be seen before the next keys. `from`: what the first row of the picture has. */
const SCENES = [
  {
    name: 'terminal-answer',
    title: 'heddle: a prompt, a command of yours, an answer',
    steps: [
      ['find total in cart.mjs\r', 'Find "total"'],
      ['!wc -l cart.mjs\r', '6 cart.mjs'],
    ],
  },
  {
    name: 'terminal-question',
    title: 'heddle: a change is shown before it is made',
    steps: [['replace "i = 1" with "i = 0" in cart.mjs then run: node --test\r', 'Yes, this once']],
  },
  {
    name: 'terminal-tree',
    title: 'heddle: /tree, the branches of a session',
    steps: [
      ['find total in cart.mjs\r', 'Find "total"'],
      ['write notes.md: one\r', 'Yes, this once'],
      ['1', 'Created'],
      ['/tree\r', '1 branch'],
      ['\u001b[C\u001b[B\u001b[Be', 'beside'],
      ['\u0015write todo.md: two\r', 'Yes, this once'],
      ['1', 'todo.md.'],
      ['/tree\r', '2 branches'],
    ],
  },
  {
    name: 'terminal-sessions',
    title: 'heddle: /resume, the sessions of a directory',
    before: ['list files', 'find total in cart.mjs', 'read cart.test.mjs'],
    steps: [['/resume\r', 'find total']],
  },
  {
    name: 'terminal-tasks',
    title: 'heddle: /tasks, what runs in the background',
    from: /running$/,
    steps: [
      ['run: sleep 20\r', 'Bash sleep 20'],
      ['\u0002', 'built-in|moved|background'],
      ['/tasks\r', 'sleep 20 '],
    ],
  },
];

/** Plays all scenes. Resolves with the rows of each, with their colours as SGR codes. */
export async function playScenes() {
  const pictures = [];
  for (const scene of SCENES) pictures.push(await playScene(scene));
  return pictures;
}

async function playScene({ name, title, before = [], from, steps }) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-scene-')));
  const project = join(home, 'shop');
  const env = { PATH: process.env.PATH, HOME: home, HEDDLE_HOME: join(home, '.heddle'), LANG: 'C.UTF-8' };
  try {
    makeProject(project);
    for (const prompt of before)
      spawnSync(process.execPath, [CLI, '-p', '--model', 'offline', prompt], { cwd: project, env });
    const terminal = openTerminal({ cwd: project, env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' } });
    try {
      await terminal.sees('for keys');
      for (const [keys, text] of steps) {
        await terminal.quiet();
        terminal.type(keys);
        await terminal.sees(text);
      }
      await terminal.quiet();
      const rows = terminal.rows().map((row) => row.replaceAll(project, '~/shop'));
      const first = from ? rows.findIndex((row) => from.test(plain(row))) : 0;
      return { name, title, columns: COLUMNS, rows: rows.slice(Math.max(0, first)) };
    } finally {
      await terminal.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeProject(project) {
  mkdirSync(project);
  const write = (name, lines) => writeFileSync(join(project, name), `${lines.join('\n')}\n`);
  write('cart.mjs', [
    ...['/** The sum of the prices. */', 'export function total(prices) {', '  let sum = 0;'],
    ...['  for (let i = 1; i < prices.length; i++) sum += prices[i];', '  return sum;', '}'],
  ]);
  write('cart.test.mjs', [
    ...["import assert from 'node:assert';", "import test from 'node:test';", "import { total } from './cart.mjs';"],
    ...['', "test('all prices count', () => assert.equal(total([1, 2, 3]), 6));"],
  ]);
}

function openTerminal({ cwd, env }) {
  const emulator = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const command = `stty cols ${COLUMNS} rows ${ROWS}; exec '${process.execPath}' '${CLI}' --model offline`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = new Promise((resolve) => child.on('close', resolve));
  let drawn = Promise.resolve();
  let written = 0;
  child.stdout.on('data', (data) => {
    written += data.length;
    drawn = new Promise((resolve) => emulator.write(data, resolve));
  });
  const textRows = () => screen(emulator, (line) => line.translateToString(true));
  return {
    type: (keys) => child.stdin.write(keys),
    async sees(text) {
      const pattern = new RegExp(text);
      for (const from = Date.now(); !pattern.test(textRows().join('\n')); await pause(25)) {
        if (Date.now() - from > PATIENCE_MS) throw new Error(`never seen: ${text}\n${textRows().join('\n')}`);
        await drawn;
      }
    },
    /** Resolves when nothing has been written for a moment, which a spinner does not keep up for ever. */
    async quiet() {
      for (let last = -1, turn = 0; last !== written && turn < 8; turn++) {
        last = written;
        await pause(150);
      }
      await drawn;
    },
    rows: () => screen(emulator, coloured),
    async close() {
      child.stdin.end();
      child.kill('SIGTERM');
      await Promise.race([closed, pause(3000)]);
      if (child.exitCode === null) child.kill('SIGKILL');
      emulator.dispose();
    },
  };
}

/** The rows of the window, without the blank ones at its end. */
function screen(emulator, toText) {
  const { active } = emulator.buffer;
  const rows = Array.from({ length: ROWS }, (_, row) => toText(active.getLine(active.baseY + row)));
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return rows.slice(0, last + 1);
}

function plain(row) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal reads
  return row.replaceAll(/\u001b\[[\d;]*m/g, '');
}

/** A line with the SGR codes that the picture knows. */
function coloured(line) {
  let text = '';
  let codes = '';
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const now = codesOf(cell);
    if (now !== codes) text += `\u001b[0m${now === '' ? '' : `\u001b[${now}m`}`;
    codes = now;
    text += cell.getChars() || ' ';
  }
  return text.trimEnd();
}

function codesOf(cell) {
  const colour = cell.isFgPalette() && cell.getFgColor() < 8 ? [String(30 + cell.getFgColor())] : [];
  return [...(cell.isBold() ? ['1'] : []), ...(cell.isDim() ? ['2'] : []), ...colour].join(';');
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
