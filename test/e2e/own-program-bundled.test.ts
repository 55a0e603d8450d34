import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NEEDED_PACKAGES } from '../../src/util/own/own-program.ts';
import { ROOT } from '../support/root.ts';
import { describeSandboxed } from '../support/sandbox.ts';

/** A program that is the agent itself: it plays the calls of a file, and prints the results. */
const PROGRAM = `import { readFileSync } from 'node:fs';
import { query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';
async function main() {
  const { calls, options } = JSON.parse(readFileSync('play.json', 'utf8'));
  const model = scriptedModel([...calls.map(([name, input]) => toolUse(name, input)), 'done']);
  const engine = createEngine({ cwd: process.cwd(), env: process.env, store: createMemoryStore(), model });
  for await (const message of query({ prompt: 'go', options: { transport: inProcess(engine), ...options } })) {
    if (message.type === 'user') console.log(JSON.stringify(message.message.content[0].content));
    if (message.type === 'result') console.log('denied', message.permission_denials.length, message.result);
  }
  await engine.close();
}
main().catch((error) => console.log(error.code, error.message));
`;

const base = mkdtempSync(join(tmpdir(), 'heddle-bundled-program-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeAll(async () => {
  mkdirSync(join(base, 'project/node_modules'), { recursive: true });
  symlinkSync(ROOT, join(base, 'project/node_modules/heddle'));
  writeFileSync(join(base, 'project/program.mjs'), PROGRAM);
  await build({
    entryPoints: [join(base, 'project/program.mjs')],
    outfile: join(base, 'program.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
}, 60_000);

const RIPGREP = `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;
/** What the bundle would find if it were there, before or in the place of what belongs to it. */
const LURES = [
  RIPGREP,
  'node_modules/@vscode/ripgrep/lib/index.js',
  'node_modules/heddle/package.json',
  'node_modules/turndown/index.js',
  'node_modules/unpdf/index.js',
  'tree-sitter-bash.wasm.gz',
  'heddle.cjs',
];

/** Where the bundle lies: in the folder in which it works, or where a build puts it. */
const PLACES = ['program.cjs', 'dist/program.cjs'];

function play(program: string, calls: [string, object][], options: object): { folder: string; said: string } {
  const folder = mkdtempSync(join(base, 'deployed-'));
  mkdirSync(dirname(join(folder, program)), { recursive: true });
  cpSync(join(base, 'program.cjs'), join(folder, program));
  writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "left-pad": "1" } }');
  writeFileSync(join(folder, 'play.json'), JSON.stringify({ calls, options }));
  const evil = `#!/bin/sh\ntouch ${join(base, 'pwned')}\n`;
  writeFileSync(join(folder, 'evil.sh'), evil, { mode: 0o755 });
  const put = (path: string) => `mkdir -p $(dirname ${path}); cp evil.sh ${path}`;
  writeFileSync(join(folder, 'attack.sh'), LURES.map(put).join('\n'));
  const env = { PATH: process.env.PATH ?? '', HOME: base, HEDDLE_HOME: join(base, 'home') };
  const run = spawnSync(process.execPath, [program], { cwd: folder, env, encoding: 'utf8', timeout: 60_000 });
  return { folder, said: `${run.stdout}${run.stderr}` };
}

const lured = (folder: string) => LURES.filter((path) => existsSync(join(folder, path)));

test('[G12] a bundle is protected from all packages that the program may load', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = ['heddle', ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  expect(NEEDED_PACKAGES).toEqual(expect.arrayContaining(named));
});

describeSandboxed('[G12] a program that was bundled', () => {
  test.each(PLACES)('finds nothing that a confined command has put in its way (%s)', (program) => {
    const calls: [string, object][] = [
      ['Bash', { command: 'bash attack.sh' }],
      ['Grep', { pattern: 'loom' }],
      ['Bash', { command: 'touch mine; ls mine' }],
    ];
    const { folder, said } = play(program, calls, { settings: JSON.stringify({ sandbox: { enabled: true } }) });
    expect(lured(folder), said).toEqual([]);
    expect(existsSync(join(base, 'pwned'))).toBe(false);
    expect(said).toContain('denied 0 done');
    expect(existsSync(join(folder, 'mine'))).toBe(true);
  });
});

test.each(PLACES)('[G12] nothing is written in the way of a bundle unasked (%s)', (program) => {
  const calls = LURES.map((file_path): [string, object] => ['Write', { file_path, content: 'pwned' }]);
  const { folder, said } = play(program, calls, { permissionMode: 'acceptEdits' });
  expect(lured(folder), said).toEqual([]);
  expect(said).toContain(`denied ${LURES.length} done`);
});
