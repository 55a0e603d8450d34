import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ID, MB, runSessions, writeSession } from '../support/large-session.ts';
import { makePlace } from '../support/place.ts';

const TURNS = 620;

function endOf(path: string): string {
  const file = openSync(path, 'r');
  const end = Buffer.alloc(4096);
  readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length));
  closeSync(file);
  return end.toString('utf8');
}

/** No text can be longer than 512 MB: neither the session nor what is made of it is ever one. */
test.each([
  [['show', ID], 'answer 619'],
  [['show', '--full', '--all', ID], 'answer 619'],
  [['export', ID], 'answer 619'],
  [['export', '--json', '--all-branches', ID], '"subagents": []'],
  [['tree', '--json', ID], '"findings": []'],
])('[S-18] a session of 600 MB: heddle sessions %j', async (args, last) => {
  const place = await makePlace();
  expect(statSync(writeSession(place, TURNS)).size).toBeGreaterThan(600 * MB);
  const output = join(place.root, 'output');
  expect(runSessions(place, args, { output, memory: 64 })).toEqual({ status: 0, stderr: '' });
  expect(endOf(output)).toContain(last);
});
