import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { hang } from '../../src/testing/index.ts';
import { displayWidth } from '../../src/util/text/display-width.ts';
import { runCli, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { startOnTerminal } from '../support/terminal.ts';

/** What a terminal of so many columns shows, line by line. */
async function shown(place: Place, columns: number, ...args: string[]): Promise<string[]> {
  const run = startOnTerminal(args, { place, isWhole: true, columns });
  await run.ended;
  return stripVTControlCharacters(run.screen()).replaceAll('\r', '').trimEnd().split('\n');
}

/** A place with everything in it that can be long: directories, settings, titles, tags. */
async function furnished(): Promise<Place> {
  const place = await makePlace(() => 'Done.');
  const deep = join(place.cwd, 'a-directory-with-a-rather-long-name', 'and', 'another-one-below-it');
  mkdirSync(deep, { recursive: true });
  await runCli(['-p', `a prompt that goes on and on ${'and on '.repeat(30)}`], { place });
  await runCli(['-p', 'short', '-n', '日本語のタイトルはこの端末には長すぎます日本語のタイトル'], { place, cwd: deep });
  const command = `echo ${'something rather long '.repeat(6)}`;
  put(join(place.home, 'settings.json'), {
    model: 'haiku',
    permissions: { deny: ['Bash(rm:*)', `Read(/${'very/'.repeat(12)}deep/file.txt)`] },
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
  });
  put(join(place.cwd, '.claude/settings.json'), {
    env: { A: 'b' },
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
    permissions: { allow: ['Bash(npm run build:*)'] },
  });
  return place;
}

describe.each([80, 100])('in a terminal of %i columns', (columns) => {
  test.each([
    [['sessions', 'list']],
    [['sessions', 'list', '--all']],
    [['sessions', 'list', '--all', '--long']],
    [['config', 'list']],
    [['hooks', 'list']],
    [['doctor']],
    [['trust', '--list']],
    [['auth', 'status']],
    [['--help']],
    [['help', 'config']],
    [['permissions', 'explain', '--tool', 'Bash', '--input', '{"command":"npm test && git push && make everything"}']],
  ])('%j fits', async (args) => {
    const place = await furnished();
    const lines = await shown(place, columns, ...args);
    expect(lines.length).toBeGreaterThan(0);
    // A word that is wider than a line, such as a path, stands alone: broken, it could not be copied.
    const wide = lines.filter((line) => displayWidth(line) > columns && /\S\s+\S/.test(line.trim()));
    expect(wide).toEqual([]);
  });
});

test('a list of sessions says what one looks for: id, age, turns, cost, title; sizes with --long', async () => {
  const place = await makePlace(() => 'Done.');
  await runCli(['-p', 'mend the loom'], { place });
  await runCli(['-p', '--continue', 'and oil it'], { place });
  const [head, row, ...more] = await shown(place, 80, 'sessions', 'list');
  expect(head).toBe('ID        AGE  TURNS   COST  TITLE');
  expect(row).toMatch(/^[\da-f]{8} {2}now {6}2 {2}\$0\.00 {2}and oil it$/);
  expect(more).toEqual([]);
  const [longHead, longRow] = await shown(place, 100, 'sessions', 'list', '--long');
  expect(longHead).toMatch(/^ID +TIME +TURNS +COST +SIZE +TITLE$/);
  expect(longRow).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\d +2 +\$0\.00 +\d+\.\d kB +and oil it$/);
  const [json] = JSON.parse((await runCli(['sessions', 'list', '--long', '--json'], { place })).stdout);
  expect(json).toMatchObject({ turns: 2, costUsd: expect.any(Number), fileSize: expect.any(Number) });
});

test('an interrupt is no turn of its own', async () => {
  const place = await makePlace([hang()]);
  const cli = startCli(['-p', 'mend the loom'], { place });
  cli.endInput();
  await vi.waitFor(() => expect(place.api.requests).toHaveLength(1), 10_000);
  cli.kill('SIGINT');
  await cli.finished;
  const [session] = JSON.parse((await runCli(['sessions', 'list', '--long', '--json'], { place })).stdout);
  expect(session).toMatchObject({ turns: 1 });
});

test('what is told of nothing is told on stderr, with what to do', async () => {
  const place = await makePlace();
  for (const [args, said] of [
    [['sessions', 'list'], /^heddle: there are no sessions of .* \(--all lists all\)\n$/],
    [['tasks', 'list'], /^heddle: there are no tasks in /],
    [['hooks', 'list'], /^heddle: there are no hooks here \(they stand under hooks in settings files\)\n$/],
    [['trust', '--list'], /^heddle: no directory is trusted \(heddle trust DIR trusts one\)\n$/],
  ] as const) {
    const { code, stdout, stderr } = await runCli([...args], { place });
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(said);
  }
});
