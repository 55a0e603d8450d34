import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { RunningCli, STREAM_BOTH } from '../support/cli.ts';
import { type InstalledCopy, installCopy } from '../support/installed-copy.ts';
import { textsOf, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

const CHANGED = /^The installation of Heddle has changed while it was running: .* Start it again; .*--resume/;

const read = () => toolUse('Read', { file_path: 'notes.txt' });
const edit = () => toolUse('Edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'two' });

/** The package that Edit loads when it is first used: all else that it needs is in the bundle. */
const late = ({ folder }: InstalledCopy) => join(folder, 'node_modules/diff');

/** What an upgrade, or somebody who tidies up, does to the package. */
const CHANGES: Record<string, (copy: InstalledCopy) => void> = {
  'is removed': ({ folder }) => rmSync(folder, { recursive: true }),
  'is moved away': ({ folder }) => renameSync(folder, `${folder}-old`),
  'is that of another version': (copy) => {
    for (const part of ['bundles', 'vendor']) {
      for (const name of readdirSync(join(copy.dist, part))) {
        renameSync(join(copy.dist, part, name), join(copy.dist, part, `other-${name}`));
      }
    }
    renameSync(late(copy), `${late(copy)}-00000000`);
  },
  'is cut off': (copy) => {
    for (const name of readdirSync(late(copy), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.js')) writeFileSync(join(late(copy), name), 'export const structuredPatch = function(');
    }
  },
  'is a file': ({ folder }) => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
  },
};

describe('an installation that changes while a session runs', () => {
  test.each(Object.entries(CHANGES))('is said, and the turn is no success: it %s', async (_how, change) => {
    const place = await makePlace([read(), 'first', [edit(), read()], 'never']);
    writeFileSync(join(place.cwd, 'notes.txt'), 'one\n');
    const copy = installCopy(place, { dependencies: 'none' });
    cpSync(join(ROOT, 'node_modules/diff'), late(copy), { recursive: true });
    const cli = copy.start([...STREAM_BOTH, '--permission-mode', 'acceptEdits']);
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ subtype: 'success', is_error: false });
    change(copy);
    cli.say('go on');
    const result = await cli.nextResult();
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      error_code: 'installation_changed',
      errors: [expect.stringMatching(CHANGED)],
    });
    // Every call has its result, and says the same.
    const told = cli.lines
      .filter(toolResult)
      .flatMap(({ message }) => textsOf(message))
      .slice(1);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(CHANGED);
    cli.endInput();
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/at .*\.(js|cjs):\d+|Unhandled/);
    expect(place.api.requests).toHaveLength(3);
  });
});

test('a bundle of another version that lies where the own one was is not run', async () => {
  const agent = { description: 'Look', prompt: 'Look around', subagent_type: 'general-purpose' };
  const place = await makePlace(['first', toolUse('Task', agent), 'never']);
  const copy = installCopy(place);
  const cli = copy.start(STREAM_BOTH);
  cli.say('go');
  expect(await cli.nextResult()).toMatchObject({ subtype: 'success', is_error: false });
  const bundles = join(copy.dist, 'bundles');
  for (const name of readdirSync(bundles)) {
    const text = readFileSync(join(bundles, name), 'latin1');
    writeFileSync(join(bundles, name), text.replace(/^\/\*[0-9a-f]{16}\*\//, '/*0000000000000000*/'));
  }
  cli.say('go on');
  expect(await cli.nextResult()).toMatchObject({
    is_error: true,
    error_code: 'installation_changed',
    errors: [expect.stringMatching(CHANGED)],
  });
  cli.endInput();
  expect((await cli.finished).stderr).not.toMatch(/at .*\.(js|cjs):\d+|Unhandled/);
  expect(place.api.requests).toHaveLength(2);
});

/** From this number on a running process gets no more files; those that it has open stay. */
function limitFiles(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
}

const hasPrlimit = spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0;

describe.skipIf(!hasPrlimit)('a part that cannot be loaded because too many files are open', () => {
  /** Not plain: what reads it is a package, which is loaded for the first such command. */
  const say = (word: string) => toolUse('Bash', { command: `if true; then echo ${word}; fi` });

  /** The first command meets a limit; `during` is what happens to it meanwhile. */
  async function runWith(during: (pid: number) => void) {
    let pid = 0;
    const place = await makePlace((_request, index) => {
      if (index === 0) return 'first';
      if (index === 1) {
        limitFiles(pid, 3);
        during(pid);
        return say('one');
      }
      limitFiles(pid, 1024);
      return index === 2 ? say('two') : 'done';
    });
    const cli = installCopy(place).start([...STREAM_BOTH, '--allowedTools', 'Bash(echo:*)', 'Bash(true)']);
    pid = cli.pid;
    cli.say('go');
    await cli.nextResult();
    cli.say('go on');
    const result = await cli.nextResult();
    return { result, told: cli.lines.filter(toolResult).map(({ message }) => textsOf(message).join()) };
  }

  test('is waited for, for a moment', async () => {
    const { result, told } = await runWith((pid) => setTimeout(() => limitFiles(pid, 1024), 200));
    expect(told).toEqual(['one', 'two']);
    expect(result).toMatchObject({ subtype: 'success', is_error: false });
  });

  test('is loaded by the next call, when there is room again', async () => {
    const { result, told } = await runWith(() => {});
    expect(told).toEqual([expect.stringMatching(/could not be loaded: EMFILE.*tried again.*ulimit -n/), 'two']);
    expect(result).toMatchObject({ subtype: 'success', is_error: false });
  });
});

/** A program that has the engine of a copy inside, and lets a session use a tool when it is told to. */
const PROGRAM = `
import { createInterface } from 'node:readline';
import { createEngine, inProcess } from 'DIST/engine.js';
import { query } from 'DIST/index.js';
import { scriptedModel, toolUse } from 'DIST/testing.js';
const answers = ['first', toolUse('Bash', { command: 'echo one' }), 'done', toolUse('Bash', { command: 'echo two' }), 'done'];
const engine = createEngine({ cwd: process.cwd(), env: process.env, model: scriptedModel(answers) });
const options = { transport: inProcess(engine), allowedTools: ['Bash'], persistSession: false };
for await (const line of createInterface({ input: process.stdin })) {
  for await (const message of query({ prompt: line, options })) console.log(JSON.stringify(message));
}
`;

describe('a program with the engine inside', () => {
  async function program() {
    const place = await makePlace();
    const copy = installCopy(place, { library: true });
    const file = join(copy.folder, 'program.mjs');
    writeFileSync(file, PROGRAM.replaceAll('DIST', './dist'));
    const child = spawn(process.execPath, [file], { cwd: place.cwd, env: place.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const run = new RunningCli(child);
    const ask = async () => {
      run.write('go\n');
      const result = await run.nextResult();
      return { result, told: run.lines.filter(toolResult).flatMap(({ message }) => textsOf(message)) };
    };
    await ask();
    return { copy, run, ask };
  }

  test('is told of an installation that has changed', async () => {
    const { copy, ask } = await program();
    rmSync(copy.dist, { recursive: true });
    const { result, told } = await ask();
    expect(result).toMatchObject({ is_error: true, error_code: 'installation_changed' });
    expect(told[0]).toMatch(CHANGED);
  });

  test.skipIf(!hasPrlimit)('has its tools again, when there is room for files again', async () => {
    const { run, ask } = await program();
    limitFiles(run.pid, 3);
    expect((await ask()).told[0]).toMatch(/could not be loaded: EMFILE/);
    limitFiles(run.pid, 1024);
    expect((await ask()).told[1]).toBe('two');
  });
});
