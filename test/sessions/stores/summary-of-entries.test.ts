import { expect, test } from 'vitest';
import { foldSessionSummary, listSessions } from '../../../src/sdk/index.ts';
import type { SessionStore, SessionSummaryEntry } from '../../../src/sessions/store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { PROJECT, tagged, title } from '../session-home.ts';
import { assistant, user } from '../support.ts';

const key = { project: PROJECT, sessionId: '5e551000-0000-4000-8000-000000000001' };
const AT = '2026-01-02T03:04:05.678Z';

const entries: Entry[] = [
  { type: 'queue-operation', operation: 'dequeue', timestamp: AT },
  user('s', 'said to an agent', { isSidechain: true, cwd: '/w/project', gitBranch: 'main', at: AT }),
  user('m', 'told by the runtime', { isMeta: true, at: AT }),
  user('u1', 'the first\nprompt', { at: AT, cwd: '/elsewhere', gitBranch: 'main' }),
  assistant('a1', 'an answer', { parent: 'u1' }),
  title('A title'),
  tagged('x'),
  user('u2', 'y'.repeat(300), { parent: 'a1', gitBranch: 'topic' }),
  title('Another title'),
];

test('[B-103] what was first stays, what came last counts, however the entries are cut into batches', () => {
  const whole = foldSessionSummary(undefined, key, entries, { mtime: 5 });
  expect(whole).toEqual({
    sessionId: key.sessionId,
    mtime: 5,
    data: {
      createdAt: Date.parse(AT),
      cwd: '/w/project',
      firstPrompt: 'the first prompt',
      lastPrompt: `${'y'.repeat(200)}…`,
      customTitle: 'Another title',
      tag: 'x',
      gitBranch: 'topic',
    },
  });
  let running: SessionSummaryEntry | undefined;
  for (const entry of entries) {
    // As a store would have kept it.
    running = JSON.parse(JSON.stringify(foldSessionSummary(running, key, [entry], { mtime: 5 })));
  }
  expect(running).toEqual(whole);
});

test('[B-103] the time is that of the store, and what was handed in stays as it is', () => {
  const first = foldSessionSummary(undefined, key, [user('u', 'hi', { at: AT })], { mtime: 7 });
  const before = structuredClone(first);
  expect(foldSessionSummary(first, key, [tagged('x')])).toMatchObject({ mtime: 7, data: { tag: 'x' } });
  expect(foldSessionSummary(first, key, [], { mtime: 9 })).toEqual({ ...first, mtime: 9 });
  expect(foldSessionSummary(undefined, key, [])).toEqual({ sessionId: key.sessionId, mtime: 0, data: {} });
  expect(first).toEqual(before);
});

test('a branch that was switched to has the last prompt; an empty tag is none', () => {
  const chosen: Entry = { type: 'last-prompt', lastPrompt: 'the other way', leafUuid: 'a1' };
  const { data } = foldSessionSummary(undefined, key, [...entries, chosen, tagged('')]);
  expect(data).toMatchObject({ lastPrompt: 'the other way', tag: '' });
});

/** A store that tells how often it was read. */
function counted(store: SessionStore): { store: SessionStore; loads: () => number } {
  let count = 0;
  const load: SessionStore['load'] = (where) => {
    count += 1;
    return store.load(where);
  };
  return { store: { ...store, load }, loads: () => count };
}

test('[B-103] a list of a store is made of its summaries, without loading a session', async () => {
  const { store, loads } = counted(createMemoryStore());
  await store.append(key, entries);
  await store.append({ ...key, agentId: 'a1' }, [user('x', 'an agent')]);
  const listed = await listSessions({ sessionStore: store, dir: PROJECT });
  expect(listed).toEqual([
    {
      sessionId: key.sessionId,
      summary: 'Another title',
      lastModified: expect.any(Number),
      customTitle: 'Another title',
      firstPrompt: 'the first prompt',
      lastPrompt: `${'y'.repeat(200)}…`,
      tag: 'x',
      gitBranch: 'topic',
      cwd: '/w/project',
      createdAt: Date.parse(AT),
    },
  ]);
  expect(loads()).toBe(0);
});

test('[B-103] a summary that is missing, too old or of no shape is made by loading, on the page only', async () => {
  const { store, loads } = counted(createMemoryStore());
  const second = { ...key, sessionId: key.sessionId.replace(/1$/, '2') };
  await store.append(second, [user('u', 'the second')]);
  await store.append(key, entries);
  const old = [{ sessionId: key.sessionId, mtime: 1, data: { customTitle: 'An old title' } }];
  const stale: SessionStore = { ...store, listSessionSummaries: async () => old };
  const [newest] = await listSessions({ sessionStore: stale, dir: PROJECT, limit: 1 });
  expect([newest?.summary, loads()]).toEqual(['Another title', 1]);
  const { listSessionSummaries: _, ...without } = store;
  const summaries = (await listSessions({ sessionStore: without, dir: PROJECT })).map(({ summary }) => summary);
  expect(summaries).toEqual(['Another title', 'the second']);
  const odd = [{ sessionId: key.sessionId, mtime: Number.MAX_VALUE, data: { customTitle: 3, createdAt: 'x' } }];
  const strange: SessionStore = { ...store, listSessionSummaries: async () => odd };
  expect((await listSessions({ sessionStore: strange, dir: PROJECT }))[0]).toMatchObject({ summary: '' });
  const here = { project: process.cwd(), sessionId: key.sessionId };
  await store.append(here, [user('h', 'in this directory')]);
  expect((await listSessions({ sessionStore: store })).map(({ summary }) => summary)).toEqual(['in this directory']);
});
