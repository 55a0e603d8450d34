import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, STREAM_BOTH, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { ROOT } from '../support/root.ts';

/** No variable names a config home. */
const UNNAMED = { HEDDLE_HOME: undefined, CLAUDE_CONFIG_DIR: undefined };

/** A user's home with a config home of the reference in it, whose settings can be told by a rule. */
async function besideReference(script: Parameters<typeof makePlace>[0] = []) {
  const place = await makePlace(script);
  const own = join(place.root, 'home', '.heddle');
  const reference = join(place.root, 'home', '.claude');
  put(join(reference, 'settings.json'), { permissions: { deny: ['WebFetch'] } });
  return { place, own, reference, choice: join(own, 'home') };
}

const run = (place: Place, args: string[], env: Record<string, string | undefined> = {}) =>
  runCli(args, { place, env: { ...UNNAMED, ...env } });
const home = async (place: Place, args: string[] = [], env: Record<string, string | undefined> = {}) =>
  run(place, ['config', 'home', ...args], env);

describe('heddle config home', () => {
  test('[K52] stores which home is used, for the user alone, and every face uses it', async () => {
    const { place, own, reference, choice } = await besideReference(['one']);
    expect((await home(place)).stdout).toBe(`${own} (the default)\n`);
    expect(await home(place, [reference])).toMatchObject({
      code: 0,
      stdout: `${reference} (chosen with heddle config home, stored in ${choice})\n`,
      stderr: `heddle: what is stored in ${own} stays there and is not used any more\n`,
    });
    expect(readFileSync(choice, 'utf8')).toBe(`${reference}\n`);
    expect([statSync(choice).mode & 0o777, statSync(own).mode & 0o777]).toEqual([0o600, 0o700]);
    const list = await run(place, ['config', 'list']);
    expect(list.stdout).toContain(join(reference, 'settings.json'));
    const { code, stderr } = await run(place, ['-p', 'hi']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(reference, 'projects'))).toBe(true);
    expect(existsSync(join(own, 'projects'))).toBe(false);
    expect((await run(place, ['sessions', 'list'])).stdout).toContain('hi');
    expect(JSON.parse((await home(place, ['--json'])).stdout)).toEqual({
      path: reference,
      source: 'stored',
      file: choice,
    });
  });

  test('[K52, P2] variables win over the choice, and that is said', async () => {
    const { place, reference } = await besideReference();
    const other = join(place.root, 'other');
    const named = await home(place, [reference], { HEDDLE_HOME: other });
    expect(named.stdout).toBe(`${other} (the variable HEDDLE_HOME says so)\n`);
    expect(named.stderr).toContain('as long as HEDDLE_HOME is set, that variable wins');
    expect((await home(place, [], { CLAUDE_CONFIG_DIR: other })).stdout).toContain('(the variable CLAUDE_CONFIG_DIR');
    expect((await home(place)).stdout).toContain(`${reference} (chosen`);
  });

  test.each([['--reset'], ['own folder']])('[K52] the choice can be taken back: %s', async (how) => {
    const { place, own, reference, choice } = await besideReference();
    await home(place, [reference]);
    const back = await home(place, [how === '--reset' ? how : own]);
    expect(back).toMatchObject({ code: 0, stdout: `${own} (the default)\n` });
    expect(existsSync(choice)).toBe(false);
  });

  test('a directory that is not there is refused, and nothing is stored', async () => {
    const { place, choice } = await besideReference();
    const missing = join(place.root, 'missing');
    const { code, stdout, stderr } = await home(place, [missing]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`heddle: ${missing} is not a directory. Make it first: mkdir -m 700 ${missing}\n`);
    expect(existsSync(choice)).toBe(false);
  });

  test.each(['', 'relative/path', '\n\n'])('a choice that names no place stops a run: %j', async (text) => {
    const { place, own, choice } = await besideReference();
    mkdirSync(own, { recursive: true });
    writeFileSync(choice, text);
    const words = `${choice} does not say which config home to use: set it with heddle config home DIR`;
    for (const args of [
      ['-p', 'hi'],
      ['sessions', 'list'],
      ['config', 'list'],
    ]) {
      const { code, stdout, stderr } = await run(place, args);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(words);
    }
    const doctor = await run(place, ['doctor', '--json']);
    const checks = JSON.parse(doctor.stdout).checks as { id: string; status: string; summary: string }[];
    expect(checks.find(({ id }) => id === 'home')).toMatchObject({
      status: 'problem',
      summary: expect.stringContaining(words),
    });
    expect((await home(place, ['--reset'])).code).toBe(0);
    expect((await home(place)).stdout).toBe(`${own} (the default)\n`);
  });
});

test('[K52] the SDK looks for sessions in the chosen home, in its own process, too', async () => {
  const { place, reference } = await besideReference(['one']);
  await home(place, [reference]);
  await run(place, ['-p', 'hi']);
  const program = `import { listSessions } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
    console.log(JSON.stringify((await listSessions()).map(({ firstPrompt }) => firstPrompt)));`;
  const { HEDDLE_HOME: _, ...env } = place.env;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(['hi']);
});

describe('a config home of the reference that is not used', () => {
  test('[K52] is told by the first run, in one line on stderr, and never again', async () => {
    const { place, reference } = await besideReference(['one', 'two']);
    const first = await run(place, ['-p', '--no-session-persistence', 'hi']);
    expect(first).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(first.stderr).toBe(
      `heddle: ${reference} is not used: sessions and settings are in ~/.heddle. ` +
        `To use it: heddle config home ${reference}\n`,
    );
    expect((await run(place, ['-p', 'hi'])).stderr).toBe('');
  });

  test.each([
    ['stream-json out', [...STREAM_OUT, 'hi'], ''],
    [
      'stream-json both ways',
      STREAM_BOTH,
      `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' } })}\n`,
    ],
  ])('[K52] with %s stdout has only lines of the protocol', async (_, args, stdin) => {
    const { place } = await besideReference(['one']);
    const { stdout, stderr, lines } = await runCli(args, { place, env: UNNAMED, stdin });
    expect(stderr).toContain('heddle config home');
    expect(stdout).not.toContain('heddle config home');
    expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  });

  test.each([
    ['HEDDLE_HOME is set', {}, false],
    ['there have been sessions', UNNAMED, true],
  ])('[K52] is not told where %s', async (_, env, hasSessions) => {
    const { place, own } = await besideReference(['one']);
    if (hasSessions) mkdirSync(join(own, 'projects'), { recursive: true });
    expect((await runCli(['-p', 'hi'], { place, env })).stderr).toBe('');
  });
});
