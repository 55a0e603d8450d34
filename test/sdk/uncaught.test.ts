import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

/** What a terminal shows of it without scrolling. */
const MAX_BYTES = 2048;

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'heddle-uncaught-'));
  mkdirSync(join(base, 'node_modules'));
  symlinkSync(ROOT, join(base, 'node_modules/heddle'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Runs a program that uses the built library and catches nothing; what it says on stderr. */
function uncaught(program: string, flags: string[] = []): string {
  writeFileSync(join(base, 'app.mjs'), program);
  const env = { PATH: process.env.PATH, HOME: base, HEDDLE_HOME: join(base, '.heddle') };
  const options = { cwd: base, env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, [...flags, 'app.mjs'], options);
  expect(status, stderr).toBe(1);
  return stderr;
}

const WRONG_OPTION = `import { query } from 'heddle';
for await (const m of query({ prompt: 'x', options: { maxTurns: '3' } })) console.log(m.type);`;

/** A setting that only the agent can judge; it says why on stderr, and ends. */
const REJECTED_RUN = `import { query } from 'heddle';
for await (const m of query({ prompt: 'x', options: { settings: '{ broken' } })) console.log(m.type);`;

/** The same, of an agent that has no process of its own. */
const REJECTED_HERE = `import { query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
const transport = inProcess(createEngine({ cwd: '.', env: process.env }));
for await (const m of query({ prompt: 'x', options: { settings: '{ broken', transport } })) console.log(m.type);`;

/** An agent that says much before it dies. */
const TALKATIVE = `import { query } from 'heddle';
const options = { pathToHeddleExecutable: './agent.mjs' };
for await (const m of query({ prompt: 'x', options })) console.log(m.type);`;

describe('an error that nobody catches', () => {
  test.each([
    ['a wrong option', WRONG_OPTION, 'options.maxTurns must be a whole number above 0'],
    ['a run that was rejected', REJECTED_RUN, 'Process failed with exit code 1'],
    ['a run that was rejected in this process', REJECTED_HERE, 'RunError: The run could not start: Settings are not'],
  ])('%s: a screenful with the reason, and nothing of our own marks', (_, program, reason) => {
    const said = uncaught(program);
    expect(said).toContain(reason);
    expect(Buffer.byteLength(said), said).toBeLessThan(MAX_BYTES);
    expect(said).not.toContain('Symbol(');
    expect(Math.max(...said.split('\n').map((line) => line.length)), said).toBeLessThan(300);
  });

  test('what the agent said on stderr stands there once', () => {
    const said = uncaught(REJECTED_RUN);
    expect(said.match(/--settings/g), said).toHaveLength(1);
  });

  test('an agent that has said much is quoted with its last lines; all of it is in `stderr`', () => {
    writeFileSync(
      join(base, 'agent.mjs'),
      `process.stderr.write('loom '.repeat(600) + '\\n' + 'the last word\\n', () => process.exit(3));`,
    );
    const said = uncaught(TALKATIVE);
    expect(said).toContain('Process failed with exit code 3');
    expect(said).toContain('the last word');
    expect(Buffer.byteLength(said), said).toBeLessThan(MAX_BYTES);
    const caught = `import { query } from 'heddle';
try {
  for await (const m of query({ prompt: 'x', options: { pathToHeddleExecutable: './agent.mjs' } })) console.log(m.type);
} catch (error) {
  console.error([error.stderr.length, error.facts.stderr.length, error.facts.code].join(' '));
  process.exit(1);
}`;
    expect(uncaught(caught)).toContain('3015 3015 3');
  });

  test('with --enable-source-maps the stack leads to lines of our sources', () => {
    const said = uncaught(WRONG_OPTION, ['--enable-source-maps']);
    expect(said).toMatch(/at query .*\/src\/sdk\/query\.ts:\d+/);
    expect(said).not.toContain('dist/');
    expect(Buffer.byteLength(said), said).toBeLessThan(MAX_BYTES);
  });
});
