import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { renameSession, tagSession } from '../../../src/sessions/stored/change-session.ts';
import { listSessions } from '../../../src/sessions/stored/list-sessions.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { sessionHome, tagged, title, type Written } from '../session-home.ts';
import { user } from '../support.ts';

const PROJECT = '/w/project';

function opened(lines: Parameters<ReturnType<typeof sessionHome>['session']>[0] = []) {
  const { home, session } = sessionHome();
  const found = session(lines);
  const store = createJsonlStore({ home, log: () => {} });
  return { home, found, store };
}

async function talk(store: SessionStore, { sessionId }: Written, messages: number, size = 1000): Promise<void> {
  for (let i = 0; i < messages; i++) {
    const said = user(`${messages}-${size}-${i}`, `word ${i} ${'x'.repeat(size)}`);
    await store.append({ project: PROJECT, sessionId }, [said]);
  }
}

const listed = async (home: string) => (await listSessions({ home }))[0];
const titlesIn = ({ path }: Written) => readFileSync(path, 'utf8').match(/"type":"custom-title"/g)?.length ?? 0;

test('[SES-35] a title and a tag are in the list, however much is said after them', async () => {
  const { home, found, store } = opened([user('u', 'hi')]);
  await store.append({ project: PROJECT, sessionId: found.sessionId }, [title('Ours'), tagged('red')]);
  await talk(store, found, 100);
  expect(await listed(home)).toMatchObject({ customTitle: 'Ours', tag: 'red', summary: 'Ours' });
  expect(titlesIn(found)).toBeLessThan(15);
});

test('[SES-35] also when they were there before, and when one message is larger than what a list reads', async () => {
  const { home, found, store } = opened([user('u', 'hi'), title('old'), title('Früher')]);
  await talk(store, found, 2, 100_000);
  expect(await listed(home)).toMatchObject({ customTitle: 'Früher' });
});

test('[B-097] what another process names it during the run counts, and what it takes away stays away', async () => {
  const { home, found, store } = opened([user('u', 'hi'), title('first'), tagged('red')]);
  await talk(store, found, 60);
  await renameSession(found, 'second');
  await tagSession(found, null);
  await talk(store, found, 61);
  const info = await listed(home);
  expect(info).toMatchObject({ customTitle: 'second' });
  expect(info).not.toHaveProperty('tag');
});

test('nothing is written again while lists can see it, and in a session without a title', async () => {
  const { found, store } = opened([user('u', 'hi'), title('here')]);
  await talk(store, found, 8);
  expect(titlesIn(found)).toBe(1);
  const untitled = opened([user('u', `{"type":"custom-title","customTitle":"said"}`)]);
  await talk(untitled.store, untitled.found, 200);
  expect(titlesIn(untitled.found)).toBe(0);
});

test('a full disk: the title that could not be written again is written with what comes next', async () => {
  const { home, session } = sessionHome();
  const found = session([user('u', 'hi'), title('kept')]);
  let isFull = true;
  const { writeSync } = await import('node:fs');
  const write = (fd: number, bytes: Buffer, offset: number) => {
    if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return writeSync(fd, bytes, offset);
  };
  const store = createJsonlStore({ home, log: () => {}, write });
  await expect(talk(store, found, 1, 70_000)).rejects.toMatchObject({ code: 'storage_failed' });
  isFull = false;
  await talk(store, found, 1, 70_001);
  expect(await listed(home)).toMatchObject({ customTitle: 'kept' });
});
