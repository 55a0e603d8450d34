import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.ts';
import { ID, MB, runSessions, writeSession } from '../support/large-session.ts';
import { makePlace } from '../support/place.ts';

describe('a session that is larger than the memory', () => {
  const TURNS = 60;
  const MEMORY = 32; // MB: half of the session has no room in it

  test.each([
    ['show', ['show', ID], 'answer 59'],
    ['show --full --all', ['show', '--full', '--all', ID], 'end 59'],
    ['export', ['export', ID], 'end 59'],
    ['export --json', ['export', '--json', ID], '"answer 59"'],
    ['tree', ['tree', ID], 'prompt 59'],
  ])('[S-18] %s', async (_what, args, last) => {
    const place = await makePlace();
    const path = writeSession(place, TURNS);
    expect(statSync(path).size).toBeGreaterThan(50 * MB);
    const output = join(place.root, 'output');
    expect(runSessions(place, args, { output, memory: MEMORY })).toEqual({ status: 0, stderr: '' });
    const text = readFileSync(output, 'utf8');
    expect(text).toContain(last);
    if (args.includes('--json')) {
      const { branches, ...facts } = JSON.parse(text);
      expect(facts).toEqual({ session_id: ID, title: null, tag: null, cwd: place.cwd, cost_usd: null, subagents: [] });
      expect(branches).toMatchObject([{ leaf_uuid: 'a59', active: true }]);
      expect(branches[0].messages).toHaveLength(TURNS * 4);
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    }
  });

  test('export --output', async () => {
    const place = await makePlace();
    writeSession(place, TURNS);
    const file = join(place.root, 'session.md');
    const { status, stderr } = runSessions(place, ['export', '--output', file, ID], {
      output: join(place.root, 'output'),
      memory: MEMORY,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: `heddle: written to ${file}\n` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/### Agent\n\nanswer 59\n$/);
  });
});

test('a reader that has seen enough ends an export', async () => {
  const place = await makePlace();
  writeSession(place, 30);
  const command = `"${process.execPath}" "${CLI}" sessions export ${ID} | head -c 100`;
  const { status, stdout } = spawnSync('/bin/sh', ['-c', command], { cwd: place.cwd, env: place.env, timeout: 20_000 });
  expect(status).toBe(0);
  expect(stdout.length).toBe(100);
});
