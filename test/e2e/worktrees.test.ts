import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { makeRepository } from '../support/git-repository.ts';
import { initOf, isResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';

const EDITS = [...STREAM_OUT, '--permission-mode', 'acceptEdits', 'go'];
const writing = (file: string) => [toolUse('Write', { file_path: file, content: 'new\n' }), 'Done.'];

describe('a session with --worktree', () => {
  test('[B-237] works in a checkout of its own, which the user sees nothing of in the project', async () => {
    const place = await makePlace(writing('made.txt'));
    const { git, worktrees, branches } = makeRepository(place);
    const { code, lines } = await runCli([...EDITS, '--worktree', 'feature'], { place });
    const worktree = join(worktrees, 'feature');
    expect(code).toBe(0);
    expect(initOf(lines)).toMatchObject({ cwd: worktree });
    expect(readFileSync(join(worktree, 'made.txt'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(worktree, 'file.txt'), 'utf8')).toBe('as it was\n');
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
    expect(branches()).toEqual(['main', 'worktree-feature']);
    const slug = worktree.replaceAll(/[^A-Za-z0-9]/g, '-');
    expect(readdirSync(join(place.home, 'projects'))).toEqual([slug]);
  });

  test('[B-237] is taken up again by its name, with the session that was in it', async () => {
    const place = await makePlace([...writing('made.txt'), 'I remember.']);
    makeRepository(place);
    await runCli([...EDITS, '-w', 'feature'], { place });
    const { lines } = await runCli([...STREAM_OUT, '--continue', 'what now?', '-w', 'feature'], { place });
    expect(lines.at(-1)).toMatchObject({ result: 'I remember.' });
    expect(JSON.stringify(place.api.requests.at(-1)?.body)).toContain('made.txt');
  });

  test('[B-237] without a name: one that holds no work is removed, with its branch', async () => {
    const place = await makePlace(['Done.']);
    const { names, branches } = makeRepository(place);
    const { code, lines } = await runCli([...EDITS, '-w'], { place });
    expect(code).toBe(0);
    expect(initOf(lines).cwd).toMatch(/\/\.claude\/worktrees\/session-[0-9a-f]{8}$/);
    expect(names()).toEqual([]);
    expect(branches()).toEqual(['main']);
  });

  test.each([
    ['a new file', [toolUse('Write', { file_path: 'made.txt', content: 'new\n' }), 'Done.']],
    [
      'a commit that nothing else leads to',
      [toolUse('Bash', { command: 'git -c user.name=a -c user.email=a@b commit --allow-empty -qm work' }), 'Done.'],
    ],
  ])('[B-237] without a name: one with %s is kept', async (_what, script) => {
    const place = await makePlace(script);
    const { names, branches } = makeRepository(place);
    await runCli([...STREAM_OUT, 'go', '--dangerously-skip-permissions', '-w'], { place });
    expect(names()).toHaveLength(1);
    expect(branches()).toEqual(['main', `worktree-${names()[0]}`]);
  });

  test('[B-237] begins in the same directory of the checkout', async () => {
    const place = await makePlace(['Done.']);
    const { commit, worktrees } = makeRepository(place);
    commit('packages/a/file.txt', 'text');
    const cwd = join(place.cwd, 'packages', 'a');
    const { lines } = await runCli([...EDITS, '-w', 'feature/one'], { place, cwd });
    expect(initOf(lines)).toMatchObject({ cwd: join(worktrees, 'feature+one', 'packages', 'a') });
  });

  test('[B-237] reads the memory files of the worktree, not those of the project a second time', async () => {
    const place = await makePlace(['Done.']);
    const { commit } = makeRepository(place);
    commit('CLAUDE.md', 'COMMITTED RULES');
    put(join(place.cwd, 'CLAUDE.md'), 'CHANGED RULES');
    put(join(place.cwd, 'CLAUDE.local.md'), 'RULES OF THE USER');
    await runCli([...EDITS, '-w', 'feature'], { place });
    const sent = JSON.stringify(place.api.requests[0]?.body);
    expect(sent.match(/[A-Z]+ RULES\b|RULES OF THE USER/g)).toEqual(['RULES OF THE USER', 'COMMITTED RULES']);
  });
});

describe('[B-237] what cannot be had is said, and nothing is started', () => {
  test.each([
    ['no repository', () => {}, 'feature', /is in no git repository/],
    ['a name that is a path', makeRepository, '../feature', /no name for a worktree/],
    ['a name that is the repository', makeRepository, '.git', /no name for a worktree/],
    ['a name that is a flag', makeRepository, '--worktree=-f', /no name for a worktree/],
    ['a prompt in the place of a name', makeRepository, 'do this and that', /no name for a worktree/],
  ])('%s', async (_what, prepare, name, text) => {
    const place = await makePlace([]);
    prepare(place);
    const flag = name.startsWith('--') ? [name] : ['--worktree', name];
    const { code, stderr } = await runCli(['-p', 'go', ...flag], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(text) });
    expect(place.api.requests).toHaveLength(0);
  });

  test('no git', async () => {
    const place = await makePlace([]);
    makeRepository(place);
    const { code, stderr } = await runCli(['-p', 'go', '-w', 'feature'], {
      place,
      env: { PATH: join(place.root, 'no') },
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('git, which is not on PATH') });
  });

  test('a repository without a commit', async () => {
    const place = await makePlace([]);
    const { git } = makeRepository(place);
    git('checkout', '--quiet', '--orphan', 'empty');
    const { code, stderr } = await runCli(['-p', 'go', '-w', 'feature'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('has no commit yet') });
  });

  test('something else in its place', async () => {
    const place = await makePlace([]);
    const { worktrees, branches } = makeRepository(place);
    put(join(worktrees, 'feature', 'notes.txt'), 'mine');
    const { code, stderr } = await runCli(['-p', 'go', '-w', 'feature'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('choose another name') });
    expect(readFileSync(join(worktrees, 'feature', 'notes.txt'), 'utf8')).toBe('mine');
    expect(branches()).toEqual(['main']);
  });

  test('another repository in its place, which is not asked', async () => {
    const place = await makePlace([]);
    const { worktrees } = makeRepository(place);
    const trap = join(worktrees, 'feature');
    put(join(trap, '.git', 'config'), `[core]\n\tfsmonitor = touch ${join(place.root, 'fired')}\n`);
    put(join(trap, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(trap, '.git', 'objects'));
    mkdirSync(join(trap, '.git', 'refs'));
    const { code } = await runCli(['-p', 'go', '-w', 'feature'], { place });
    expect(code).toBe(1);
    expect(existsSync(join(place.root, 'fired'))).toBe(false);
  });

  test('a branch of that name', async () => {
    const place = await makePlace([]);
    const { git, names } = makeRepository(place);
    git('branch', 'worktree-feature');
    const { code, stderr } = await runCli(['-p', 'go', '-w', 'feature'], { place });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('There is a branch worktree-feature'),
    });
    expect(names()).toEqual([]);
  });

  test('a worktree that another session works in', async () => {
    const place = await makePlace(['Done.']);
    makeRepository(place);
    const first = startCli([...STREAM_BOTH, '-w', 'feature'], { place });
    first.say('go');
    await first.until(() => first.lines.some(isResult));
    const { code, stderr } = await runCli(['-p', 'go', '-w', 'feature'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`in use by process ${first.pid}`) });
    first.endInput();
    expect((await first.finished).code).toBe(0);
  });
});
