import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI, runCli, STREAM_OUT } from '../support/cli.ts';
import { GREET, project, run, user } from '../support/extensions.ts';
import { initOf, resultOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

describe('what is read', () => {
  const FILES = {
    'commands/a.md': 'A',
    'skills/b/SKILL.md': GREET,
    'agents/c.md': '---\ndescription: C\n---\nC',
    'output-styles/d.md': 'D',
  };

  test.each([
    ['user', ['ub'], ['uc']],
    ['project', ['b'], ['c']],
  ])('[K1] only the sources that are named: %s', async (source, skills, agents) => {
    const place = await makePlace(['Done.']);
    project(place, FILES);
    user(place, { 'skills/ub/SKILL.md': GREET, 'agents/uc.md': '---\ndescription: C\n---\nC' });
    const { lines } = await run(place, 'go', '--setting-sources', source);
    expect(initOf(lines)).toMatchObject({ skills: ['debug', ...skills], agents: expect.arrayContaining(agents) });
  });

  test('[SET-01, K1] with no source nothing of the home and of the project', async () => {
    const place = await makePlace(['Done.']);
    project(place, FILES);
    user(place, FILES);
    const args = [...STREAM_OUT, 'go', '--setting-sources', '', '--no-session-persistence'];
    const trace = await traced(args, place);
    const places = [join(place.cwd, '.claude'), place.home];
    expect(trace.filter((line) => places.some((path) => line.includes(path)))).toEqual([]);
    const { lines } = await run(place, 'go', '--setting-sources', '');
    expect(initOf(lines)).toMatchObject({ skills: ['debug'], slash_commands: expect.not.arrayContaining(['a', 'b']) });
  });

  test('a malformed file is said with its line, and the others are there', async () => {
    const place = await makePlace(['Done.']);
    project(place, {
      'commands/torn.md': '---\ndescription: Torn\n',
      'commands/odd.md': '---\ndescription: Odd\nnot a key\n---\nOdd',
      'commands/clear.md': 'Never called',
      'agents/nobody.md': 'no settings',
      'skills/empty/SKILL.md': '',
      'skills/nothing/readme.md': '',
      'commands/binary.md': '\0\xff\xfe',
    });
    const { lines, stderr, code } = await run(place, '/odd');
    expect(code).toBe(0);
    expect(stderr).toMatch(/commands\/torn\.md:1: .*dashes/);
    expect(stderr).toMatch(/commands\/odd\.md:3: .*key: value/);
    expect(stderr).toMatch(/commands\/clear\.md: \/clear is a command of the program itself/);
    expect(stderr).toMatch(/agents\/nobody\.md: is no agent/);
    expect(initOf(lines).slash_commands).toEqual(expect.arrayContaining(['torn', 'odd', 'empty', 'clear']));
    expect(resultOf(lines)).toMatchObject({ is_error: false });
  });

  test("the user's own folders are not the project's, too", async () => {
    const place = await makePlace(['Done.']);
    const home = join(place.cwd, '.claude');
    put(join(home, 'commands/mine.md'), '---\nallowed-tools: Bash(ls:*)\n---\nMine');
    const { lines, stderr } = await runCli([...STREAM_OUT, '/mine'], { place, env: { HEDDLE_HOME: home } });
    expect(stderr).toBe('');
    expect(initOf(lines).trust).toMatchObject({ ignored: [] });
  });
});

/** What a run opens and lists; nothing where the system cannot tell. */
async function traced(args: readonly string[], { root, cwd, env }: Place): Promise<string[]> {
  const launcher = '/usr/bin/env'; // the tracer need not be there
  if (spawnSync(launcher, ['strace', '-V']).status !== 0) return [];
  const trace = join(root, 'trace');
  const words = [
    'strace',
    '-f',
    '-y',
    '-e',
    'trace=open,openat,getdents64',
    '-o',
    trace,
    process.execPath,
    CLI,
    ...args,
  ];
  const child = spawn(launcher, words, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
  return readFileSync(trace, 'utf8').split('\n');
}
