import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteSession, renameSession, tagSession } from '../../../src/sessions/stored/change-session.ts';
import { listSessions, sessionSummary } from '../../../src/sessions/stored/list-sessions.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { sessionHome } from '../session-home.ts';
import { user } from '../support.ts';

const ID = 'abcdef01-0000-4000-8000-000000000000';
const NOW = () => Date.parse('2026-02-03T04:05:06.789Z');

test('[B-097] a title and a tag are appended, each as one entry; the rest of the file stays', async () => {
  const { session } = sessionHome();
  const found = session([user('u', 'hi')], { sessionId: ID });
  const before = readFileSync(found.path, 'utf8');
  await renameSession(found, ' First ');
  await renameSession(found, 'Second');
  await tagSession(found, 'x');
  const added = [
    `{"type":"custom-title","customTitle":"First","sessionId":"${ID}"}`,
    `{"type":"custom-title","customTitle":"Second","sessionId":"${ID}"}`,
    `{"type":"tag","tag":"x","sessionId":"${ID}"}`,
  ];
  expect(readFileSync(found.path, 'utf8')).toBe(`${before}${added.join('\n')}\n`);
  expect(sessionSummary(found.path)).toMatchObject({ customTitle: 'Second', tag: 'x' });
});

test('[B-097] null takes the tag away; empty titles and tags are refused', async () => {
  const { session } = sessionHome();
  const found = session([user('u', 'hi')]);
  await tagSession(found, 'x');
  await tagSession(found, null);
  expect(sessionSummary(found.path)).not.toHaveProperty('tag');
  await expect(renameSession(found, '  ')).rejects.toMatchObject({ code: 'invalid_option' });
  await expect(tagSession(found, '')).rejects.toMatchObject({ code: 'invalid_option' });
});

test('a title is never glued to a torn line', async () => {
  const { session } = sessionHome();
  const found = session([user('u', 'hi'), '{"type":"user","mess']);
  await renameSession(found, 'whole');
  expect(sessionSummary(found.path)).toMatchObject({ customTitle: 'whole' });
  expect(readFileSync(found.path, 'utf8')).toContain('"mess\n{"type":"custom-title"');
});

test('a session that is gone does not come back as a file with nothing but a title', async () => {
  const { home, session } = sessionHome();
  const found = session([user('u', 'hi')]);
  await deleteSession(found, { home, now: NOW });
  await expect(renameSession(found, 'x')).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(deleteSession(found, { home, now: NOW })).rejects.toMatchObject({ code: 'session_not_found' });
  expect(existsSync(found.path)).toBe(false);
});

test('[B-098] [G9] a deleted session is in the trash with its subagents, byte for byte', async () => {
  const { home, session } = sessionHome();
  const found = session([user('u', 'hi')], { sessionId: ID });
  const other = session([user('u', 'stays')]);
  const folder = found.path.replace('.jsonl', '');
  mkdirSync(join(folder, 'subagents'), { recursive: true });
  writeFileSync(join(folder, 'subagents', 'agent-a1.jsonl'), 'subagent\n');
  const before = readFileSync(found.path);

  const { movedTo } = await deleteSession(found, { home, now: NOW });
  expect(movedTo).toBe(join(home, 'trash', 'sessions', `2026-02-03T04-05-06-789Z-${ID}`));
  expect(readFileSync(join(movedTo, `${ID}.jsonl`))).toEqual(before);
  expect(readFileSync(join(movedTo, ID, 'subagents', 'agent-a1.jsonl'), 'utf8')).toBe('subagent\n');
  expect(statSync(movedTo).mode & 0o777).toBe(0o700);
  expect((await listSessions({ home })).map(({ path }) => path)).toEqual([other.path]);
});

test('a bare file is moved alone, whatever lies beside it', async () => {
  const { home } = sessionHome();
  mkdirSync(join(home, 'session'));
  const path = join(home, 'session.txt');
  writeFileSync(path, 'x');
  const { movedTo } = await deleteSession({ sessionId: ID, path }, { home, now: NOW });
  expect(readdirSync(movedTo)).toEqual(['origin.json', 'session.txt']);
  expect(existsSync(join(home, 'session'))).toBe(true);
});

test('trouble with the disk is said, and the file stays as it was', async () => {
  const { home, session } = sessionHome();
  const found = session([user('u', 'hi')]);
  appendFileSync(found.path, '');
  chmodSync(found.path, 0o400);
  const before = readFileSync(found.path, 'utf8');
  await asOrdinaryUser(home, async () => {
    await expect(renameSession(found, 'x')).rejects.toMatchObject({ code: 'storage_failed' });
  });
  expect(readFileSync(found.path, 'utf8')).toBe(before);
});
