import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import { shellPort } from '../../../src/tools/shell/shell-port.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
const bash = createBashTool({ isReadOnly: (command) => /^(ls|pwd|sleep)\b/.test(command) });

beforeEach(() => {
  bench = createBench();
  mkdirSync(bench.path('sub/deep'), { recursive: true });
});

afterEach(() => bench.dispose());

async function run(command: string, more: object = {}): Promise<string> {
  try {
    return String((await bench.run(bash, { command, ...more })).content);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('[TOOL-02] the directory in which a command ends is where the next one starts', () => {
  test.each([
    ['cd sub', ''],
    ['cd sub && echo there', 'there'],
    ['cd sub; exit 3', 'Exit code 3'],
    ['set -e; cd sub; false; echo never', 'Exit code 1'],
    ['set -u; cd sub; echo $missing', 'Exit code 127\n/bin/bash: line 1: missing: unbound variable'],
    ['pushd sub > /dev/null', ''],
    ['cd sub; f() { return 4; }; f', 'Exit code 4'],
    ['cd sub; (cd deep)', ''],
    ['cd sub; set -x; true', '++ true'],
    ['cd sub; set -o noclobber; echo hi > x; echo again > x', /cannot overwrite/],
    ['cd sub; exec > /dev/null 2>&1 3> file 9> file; echo unseen >&3', ''],
    ['cd sub; pwd() { echo /; }; builtin() { echo /; }; unset -f builtin', ''],
    ['cd sub # and a comment', ''],
    ['ln -s sub link; cd link', ''],
    ['cd sub; kill $$', /^Exit code 143 \(ended by SIGTERM\)/],
    ['cd sub; no-such-command', 'Exit code 127\n/bin/bash: line 1: no-such-command: command not found'],
    ['cd sub\ncat <<END\nhello\nEND', 'hello'],
  ])('%s', async (command, expected) => {
    expect(await run(command)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
    expect(await run('pwd')).toBe(bench.path('sub'));
    expect(await run('cd deep && echo x > marker')).toBe('');
    expect(readFileSync(bench.path('sub/deep/marker'), 'utf8')).toBe('x\n');
  });

  test.each([
    ['a syntax error', 'cd sub; echo (', /^Exit code 2\n.*eval: line 1: syntax error/],
    ['a syntax error in its second line', 'cd deep\necho (', /line 2: syntax error/],
    ['another program in its place', 'cd sub; exec true', /^$/],
    ['SIGKILL', 'cd sub; kill -9 $$', /^Exit code 137 \(ended by SIGKILL\)$/],
    ['an EXIT trap of its own', 'cd sub; trap "echo mine" EXIT', /^mine$/],
    ['a subshell', '(cd sub)', /^$/],
    ['a background shell', 'cd sub & wait', /^$/],
  ])('stays after %s', async (_what, command, expected) => {
    expect(await run(command)).toMatch(expected);
    expect(await run('pwd')).toBe(bench.dir);
  });

  test('stays after a time-out and after an interrupt', async () => {
    expect(await run('cd sub; sleep 60', { timeout: 300 })).toMatch(/timeout/);
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(new Aborted('interrupt')), 200);
    const interrupted = bench.run(bash, { command: 'cd sub; sleep 60' }, { signal: interrupt.signal });
    await expect(interrupted).rejects.toThrow(/interrupted/);
    expect(await run('pwd')).toBe(bench.dir);
  });

  test('a process in the background does not hold the result', async () => {
    expect(await run('cd sub; (while :; do sleep 1; done) > /dev/null 2>&1 &')).toBe('');
    expect(await run('pwd')).toBe(bench.path('sub'));
  });

  test('also when its name holds odd characters', async () => {
    const name = ' a\n\'b" $c ';
    mkdirSync(bench.path(name));
    await run(`cd ${`'${name.replaceAll("'", `'\\''`)}'`}`);
    expect(bench.context.service(shellPort).directory.current()).toBe(bench.path(name));
    expect(await run('echo x > marker')).toBe('');
    expect(readFileSync(join(bench.path(name), 'marker'), 'utf8')).toBe('x\n');
  });
});

test('leaves the directories of the session only for one command, and says so', async () => {
  expect(await run('cd / && touch /dev/null && echo there')).toBe(
    `there\n[/ is outside the directories of this session; the next command starts in ${bench.dir}.]`,
  );
  expect(await run('cd ..; false')).toMatch(/^Exit code 1\n\[.* is outside the directories/);
  expect(await run('pwd')).toBe(bench.dir);
});

test('a directory that was removed is not started in', async () => {
  await run('cd sub/deep');
  expect(await run('rm -r ../../sub')).toBe(
    `[${bench.path('sub/deep')} is not there any more; the next command starts in ${bench.dir}.]`,
  );
  expect(await run('mkdir gone; cd gone; rmdir ../gone')).toBe('');
  expect(await run('pwd')).toBe(bench.dir);
});

test('[K36] commands side by side start in the same directory', async () => {
  await run('cd sub');
  expect(await Promise.all([run('pwd'), run('sleep 0.1 && pwd'), run('pwd')])).toEqual(
    Array.from({ length: 3 }, () => bench.path('sub')),
  );
});

test('variables, functions and options do not carry over, nor do words of ours', async () => {
  expect(await run('export A=1; B=2; f() { :; }; set -e; cd sub; echo "$#:$1:$0"')).toBe('0::/bin/bash');
  expect(await run('echo "$A$B$(type -t f)"; false; echo on')).toBe('\non');
  expect(await run('set -o | grep errexit')).toMatch(/off/);
});

test('the descriptors that scripts use are theirs', async () => {
  expect(await run('for fd in 3 4 5 6 7 8 9 10 100 200; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; true')).toBe('');
  expect(await run('exec 3> three; echo x >&3; exec 3>&-; cat three')).toBe('x');
  expect(await run('echo {fd}; exec {fd}> own; echo y >&$fd; cat own')).toBe('{fd}\ny');
});
