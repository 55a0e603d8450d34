import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { ask, branched, json, sessions } from '../support/session-commands.ts';
import { sessionFiles } from '../support/session-files.ts';

describe('heddle sessions restore', () => {
  test('[G9] brings a deleted session back, with what lay beside it, and it goes on', async () => {
    const { place, sessionId, file } = await branched();
    const bytes = readFileSync(file);
    const beside = join(file.replace('.jsonl', ''), 'subagents', 'agent-a.jsonl');
    mkdirSync(dirname(beside), { recursive: true });
    writeFileSync(beside, 'x');
    await sessions(place, 'delete', sessionId);
    expect(sessionFiles(place)).toEqual([]);
    const [listed] = await json(place, 'restore');
    expect(listed).toMatchObject({ sessionId, deletedAt: expect.any(Number), summary: { summary: 'to Oslo' } });
    expect((await sessions(place, 'restore')).stdout).toMatch(
      new RegExp(`^${sessionId}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  to Oslo\\n$`),
    );

    const { code, stdout } = await sessions(place, 'restore', sessionId.slice(0, 8));
    expect([code, stdout]).toEqual([0, `${sessionId} is back: ${file}\n`]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(readFileSync(beside, 'utf8')).toBe('x');
    expect(readdirSync(join(place.home, 'trash', 'sessions'))).toEqual([]);
    await ask(place, 'more', '--resume', sessionId);
    expect(conversationText(place.api.requests.at(-1))).toMatch(/to Oslo[\s\S]*more/);
  });

  test('one that an earlier version has deleted goes to the directory that it was started in', async () => {
    const { place, sessionId, file } = await branched();
    const { stdout } = await sessions(place, 'delete', sessionId);
    rmSync(join(stdout.trimEnd().split(': ')[1] ?? '', 'origin.json'));
    await sessions(place, 'restore', sessionId);
    expect(existsSync(file)).toBe(true);
  });

  test('what has its place meanwhile stays', async () => {
    const { place, sessionId, file } = await branched();
    await sessions(place, 'delete', sessionId);
    writeFileSync(file, 'another one\n');
    const { code, stderr } = await sessions(place, 'restore', sessionId);
    expect([code, stderr]).toEqual([
      1,
      `heddle: A session is in its place already: ${file}. Delete or move that one first\n`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe('another one\n');
    expect(await json(place, 'restore')).toHaveLength(1);
  });

  test('says where nothing is, and lists nothing', async () => {
    const place = await makePlace();
    expect(await sessions(place, 'restore')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `heddle: there are no deleted sessions in ${place.home}\n`,
    });
  });
});

test('show, tree and export take the newest session of the directory where none is named', async () => {
  const { place, sessionId } = await branched();
  const elsewhere = join(place.root, 'elsewhere');
  mkdirSync(elsewhere);
  await runCli(['-p', 'something else'], { place, cwd: elsewhere });
  for (const command of ['show', 'tree', 'export']) {
    const { code, stdout } = await sessions(place, command);
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await sessions(place, command, sessionId)).stdout });
    expect(stdout).toContain('to Oslo');
  }
});

test('config set writes what has no effect only with --force', async () => {
  const place = await makePlace();
  const file = join(place.home, 'settings.json');
  expect((await runCli(['config', 'set', 'modle', 'haiku'], { place })).code).toBe(1);
  expect(existsSync(file)).toBe(false);
  const { code, stderr } = await runCli(['config', 'set', '--force', 'modle', 'haiku'], { place });
  expect([code, stderr]).toEqual([0, 'heddle: modle has no effect in this version\n']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ modle: 'haiku' });
});
