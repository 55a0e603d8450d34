import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makeRepository } from '../support/git-repository.ts';
import { initOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const GO = [...STREAM_OUT, 'go', '--worktree', 'feature'];

/** A repository whose own configuration would run programs at a checkout; each leaves a trace of its name. */
function trappedRepository(place: Place) {
  const repository = makeRepository(place);
  const trace = (name: string) => join(place.root, `fired-${name}`);
  repository.commit('.gitattributes', '*.txt filter=odd=name\n*.md filter=served\n');
  repository.commit('page.md', 'text\n');
  const hook = put(join(place.cwd, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${trace('hook')}\n`);
  chmodSync(hook, 0o755);
  repository.git('config', 'filter.odd=name.smudge', `touch ${trace('smudge')}; cat`);
  repository.git('config', 'filter.odd=name.required', 'true');
  repository.git('config', 'filter.served.process', `touch ${trace('process')}`);
  repository.git('config', 'core.fsmonitor', `touch ${trace('monitor')}`);
  const fired = () => ['hook', 'smudge', 'process', 'monitor'].filter((name) => existsSync(trace(name)));
  return { ...repository, fired };
}

describe('[R-12, B-237] what a repository would run when a worktree is made', () => {
  test('nothing of an untrusted project', async () => {
    const place = await makePlace(['Done.']);
    const { fired, worktrees } = trappedRepository(place);
    const { code } = await runCli([...STREAM_OUT, 'go', '-w'], { place });
    expect({ code, fired: fired(), left: existsSync(join(worktrees, 'feature')) }).toEqual({
      code: 0,
      fired: [],
      left: false,
    });
  });

  test('the filters of a trusted one, which its files need; never its hooks', async () => {
    const place = await makePlace(['Done.']);
    const { git, fired } = trappedRepository(place);
    git('config', '--unset', 'filter.served.process');
    const { code } = await runCli([...GO, '--trust'], { place });
    expect({ code, fired: fired() }).toEqual({ code: 0, fired: ['smudge'] });
  });

  test('[R-15] the key is not in the environment of what runs', async () => {
    const place = await makePlace(['Done.']);
    const { git, commit } = makeRepository(place);
    commit('.gitattributes', '*.txt filter=look\n');
    git('config', 'filter.look.smudge', `env > ${join(place.root, 'seen')}; cat`);
    await runCli([...GO, '--trust'], { place, env: { GIT_DIR: '/nowhere', SOME_TOKEN: 'xyz' } });
    const seen = readFileSync(join(place.root, 'seen'), 'utf8');
    expect(seen).not.toMatch(/key-of-the-test|SOME_TOKEN|\/nowhere/);
  });

  test('no worktree is made where the project has put a link', async () => {
    const place = await makePlace([]);
    const { branches } = makeRepository(place);
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(join(place.cwd, '.claude'));
    symlinkSync(elsewhere, join(place.cwd, '.claude', 'worktrees'));
    const { code, stderr } = await runCli(GO, { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is a link to another place') });
    expect(existsSync(join(elsewhere, 'feature'))).toBe(false);
    expect(branches()).toEqual(['main']);
  });

  test('nor anything else, where a folder above is the link', async () => {
    const place = await makePlace([]);
    makeRepository(place);
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(place.cwd, '.claude'));
    const { code } = await runCli(GO, { place });
    expect({ code, made: readdirSync(elsewhere) }).toEqual({ code: 1, made: [] });
  });

  test('nor where its repository says that its files are', async () => {
    const place = await makePlace([]);
    const { git } = makeRepository(place);
    const gitDir = join(place.root, 'far');
    renameSync(join(place.cwd, '.git'), gitDir);
    put(join(place.cwd, '.git'), `gitdir: ${gitDir}\n`);
    git('config', 'core.worktree', place.root);
    const { code, stderr } = await runCli(GO, { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is no checkout of it') });
    expect(existsSync(join(place.root, '.claude'))).toBe(false);
  });

  test('a repository of another project gains none: the worktree stays in the one that names it', async () => {
    const place = await makePlace(['Done.']);
    makeRepository(place);
    const stranger = join(place.root, 'stranger');
    put(join(stranger, '.git'), `gitdir: ${join(place.cwd, '.git')}\n`);
    const { lines } = await runCli(GO, { place, cwd: stranger });
    expect(initOf(lines)).toMatchObject({ cwd: join(stranger, '.claude', 'worktrees', 'feature') });
    expect(existsSync(join(place.cwd, '.claude'))).toBe(false);
  });

  test('nor does a link in the commit lead out of it', async () => {
    const place = await makePlace(['Done.']);
    const { git, commit, worktrees } = makeRepository(place);
    symlinkSync('/', join(place.cwd, 'sub'));
    git('add', 'sub');
    commit('other.txt', '');
    rmSync(join(place.cwd, 'sub'));
    mkdirSync(join(place.cwd, 'sub'));
    const { lines } = await runCli(GO, { place, cwd: join(place.cwd, 'sub') });
    expect(initOf(lines)).toMatchObject({ cwd: join(worktrees, 'feature') });
  });
});

describe('[G1, B-237] rules and trust are those of the project', () => {
  const secret = (place: Place) => join(place.cwd, '.claude', 'worktrees', 'feature', 'conf', 'secret.txt');

  test.each(['settings.json', 'settings.local.json'])(
    'what %s forbids, uncommitted, holds in the worktree',
    async (file) => {
      const place = await makePlace([toolUse('Read', { file_path: 'conf/secret.txt' }), 'Done.']);
      const { commit } = makeRepository(place);
      commit('conf/secret.txt', 'SECRET');
      put(join(place.cwd, '.claude', file), { permissions: { deny: ['Read(./conf/**)'] } });
      await runCli([...GO, '--dangerously-skip-permissions'], { place });
      expect(existsSync(secret(place))).toBe(true);
      expect(JSON.stringify(place.api.requests.map(({ body }) => body))).not.toContain('SECRET');
    },
  );

  test.each([
    ['its whole path', (place: Place) => `//${join(place.cwd, 'conf', 'secret.txt').slice(1)}`, 'Read'],
    ['a path below the home', (place: Place) => `~/../${basename(place.cwd)}/conf/*.txt`, 'Read'],
    ['a pattern of whole paths', (place: Place) => `//${place.root.slice(1)}/*/conf/secret.txt`, 'Read'],
    ['its whole path, for a command', (place: Place) => `/${join(place.cwd, 'conf', 'secret.txt')}`, 'cat conf/s*'],
  ])('what a rule forbids by %s is not read in the copy either', async (_how, path, how) => {
    const call = how === 'Read' ? toolUse('Read', { file_path: 'conf/secret.txt' }) : toolUse('Bash', { command: how });
    const place = await makePlace([call, 'Done.']);
    makeRepository(place).commit('conf/secret.txt', 'SECRET');
    put(join(place.home, 'settings.json'), { permissions: { deny: [`Read(${path(place)})`] } });
    await runCli([...GO, '--dangerously-skip-permissions'], { place });
    expect(existsSync(secret(place))).toBe(true);
    expect(place.api.requests).toHaveLength(2);
    expect(JSON.stringify(place.api.requests.map(({ body }) => body))).not.toContain('SECRET');
  });

  test('and still in the project', async () => {
    const reading = () => toolUse('Read', { file_path: join(place.cwd, 'conf', 'secret.txt') });
    const place: Place = await makePlace((_, index) => (index === 0 ? reading() : 'Done.'));
    const { commit } = makeRepository(place);
    commit('conf/secret.txt', 'SECRET');
    put(join(place.cwd, '.claude', 'settings.json'), { permissions: { deny: ['Read(./conf/**)'] } });
    await runCli([...GO, '--dangerously-skip-permissions'], { place });
    expect(place.api.requests).toHaveLength(2);
    expect(JSON.stringify(place.api.requests.map(({ body }) => body))).not.toContain('SECRET');
  });

  test('the project itself is not worked in', async () => {
    const writing = () => toolUse('Write', { file_path: join(place.cwd, 'file.txt'), content: 'changed' });
    const place: Place = await makePlace((_, index) => (index === 0 ? writing() : 'Done.'));
    makeRepository(place);
    const { lines } = await runCli([...GO, '--permission-mode', 'acceptEdits'], { place });
    expect(lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
    expect(readFileSync(join(place.cwd, 'file.txt'), 'utf8')).toBe('as it was\n');
  });

  test('settings that only the commit has do not act, trusted or not', async () => {
    const place = await makePlace(['Done.']);
    const { commit } = makeRepository(place);
    const trace = join(place.root, 'fired');
    const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${trace}` }] }] };
    commit('.claude/settings.json', JSON.stringify({ hooks }));
    put(join(place.cwd, '.claude', 'settings.json'), {});
    await runCli([...GO, '--trust'], { place });
    expect(existsSync(trace)).toBe(false);
  });

  test('those of a trusted project act, and find its files', async () => {
    const place = await makePlace(['Done.']);
    makeRepository(place);
    const command = `echo "$CLAUDE_PROJECT_DIR $PWD" > ${join(place.root, 'fired')}`;
    put(join(place.cwd, '.claude', 'settings.json'), {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] },
    });
    expect((await runCli(['trust', '--yes'], { place })).code).toBe(0);
    const { lines } = await runCli(GO, { place });
    const fired = readFileSync(join(place.root, 'fired'), 'utf8').trim();
    expect(fired).toBe(`${place.cwd} ${join(place.cwd, '.claude', 'worktrees', 'feature')}`);
    expect(initOf(lines)).toMatchObject({ trust: { trusted: true } });
  });
});
