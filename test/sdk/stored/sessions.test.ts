import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionBranches,
  getSessionInfo,
  getSessionMessages,
  getSessionTree,
  getSubagentMessages,
  listSessions,
  listSubagents,
  renameSession,
  switchSession,
  tagSession,
  unarchiveSession,
} from '../../../src/sdk/index.ts';
import { createLeases } from '../../../src/sessions/stores/lease-set.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { thisProcess } from '../../../src/util/process/process-alive.ts';
import { silentLogger } from '../../../src/util/system-runtime.ts';
import { type SessionHome, sessionHome } from '../../sessions/session-home.ts';
import { assistant, tempDir, user } from '../../sessions/support.ts';

let place: SessionHome;
let dir: string;
let sessionId: string;
beforeEach(() => {
  place = sessionHome();
  dir = realpathSync(tempDir());
  const entries = [user('u1', 'hello'), assistant('a1', 'hi', { parent: 'u1' })];
  sessionId = place.session(entries, { project: dir }).sessionId;
});

test('[B-093] [B-094] lists sessions and tells of one', async () => {
  const { home } = place;
  place.session([user('u', 'elsewhere')], { project: '/w/other', age: 10 });
  expect((await listSessions({ home })).map(({ summary }) => summary)).toEqual(['hello', 'elsewhere']);
  expect((await listSessions({ home, dir })).map((session) => session.sessionId)).toEqual([sessionId]);
  expect(await listSessions({ home, dir, limit: 1, offset: 1 })).toEqual([]);
  expect(await getSessionInfo(sessionId, { home })).toMatchObject({ sessionId, firstPrompt: 'hello' });
  expect(await getSessionInfo(randomUUID(), { home })).toBeUndefined();
});

test('times are whole, and no branch is told where there is none', async () => {
  const { home } = place;
  const time = new Date(1_700_000_000_000.75);
  const detached = place.session([user('u', 'hi', { gitBranch: 'HEAD' })], { project: '/w/detached' });
  utimesSync(detached.path, time, 1_700_000_000.000_75);
  const [info] = await listSessions({ home, dir: '/w/detached' });
  expect(info?.lastModified).toBe(1_700_000_000_000);
  expect(info).not.toHaveProperty('gitBranch');
  expect(await getSessionInfo(detached.sessionId, { home })).toEqual(info);
});

test('[B-095] reads messages; a session that is nowhere is a typed error', async () => {
  const { home } = place;
  const messages = await getSessionMessages(sessionId, { home, dir, limit: 1 });
  expect(messages).toMatchObject([{ type: 'user', uuid: 'u1', session_id: sessionId }]);
  await expect(getSessionMessages(randomUUID(), { home })).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(getSessionMessages('hello', { home })).rejects.toMatchObject({ code: 'invalid_option' });
  expect(await listSubagents(sessionId, { home })).toEqual([]);
  await expect(getSubagentMessages(sessionId, 'a', { home })).rejects.toMatchObject({ code: 'session_not_found' });
});

test('[B-097] [B-100] names, tags and forks', async () => {
  const { home } = place;
  await renameSession(sessionId, 'Named', { home });
  await tagSession(sessionId, 'x', { home });
  expect(await getSessionInfo(sessionId, { home })).toMatchObject({ customTitle: 'Named', tag: 'x' });
  await tagSession(sessionId, null, { home });
  expect(await getSessionInfo(sessionId, { home })).not.toHaveProperty('tag');

  const fork = await forkSession(sessionId, { home, upToMessageId: 'u1' });
  expect(await getSessionInfo(fork.sessionId, { home })).toMatchObject({ customTitle: 'Named (fork)' });
  expect(await getSessionMessages(fork.sessionId, { home })).toHaveLength(1);
});

test('[B-099] archives, and takes out of the archive; lists still have it', async () => {
  const { home } = place;
  const state = async () => (await listSessions({ home, dir })).map(({ archived }) => archived);
  await archiveSession(sessionId, { home });
  expect(await state()).toEqual([true]);
  expect(await getSessionInfo(sessionId, { home })).toMatchObject({ archived: true });
  await unarchiveSession(sessionId, { home });
  expect(await state()).toEqual([false]);
  await expect(archiveSession(randomUUID(), { home })).rejects.toMatchObject({ code: 'session_not_found' });
  const withStore = { home, sessionStore: createMemoryStore() };
  await expect(archiveSession(sessionId, withStore)).rejects.toMatchObject({ code: 'not_supported' });
  await expect(unarchiveSession(sessionId, withStore)).rejects.toMatchObject({ code: 'not_supported' });
  expect(await state()).toEqual([false]);
});

test('[B-098] deletes to the trash, but not while an agent writes to it', async () => {
  const { home } = place;
  const leases = createLeases({ home, log: silentLogger });
  await leases.take(sessionId, thisProcess());
  await expect(deleteSession(sessionId, { home })).rejects.toMatchObject({ code: 'session_busy' });
  leases.close();
  const { movedTo } = await deleteSession(sessionId, { home });
  expect(existsSync(join(movedTo, `${sessionId}.jsonl`))).toBe(true);
  expect(await listSessions({ home })).toEqual([]);
});

test('[P2] the home is that of the agent unless it is given', async () => {
  vi.stubEnv('HEDDLE_HOME', place.home);
  try {
    expect(await listSessions({ dir })).toHaveLength(1);
  } finally {
    vi.unstubAllEnvs();
  }
  vi.stubEnv('HEDDLE_HOME', '');
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(place.home, 'none'));
  try {
    expect(await listSessions({ dir })).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the sessions of a directory that is gone are still listed', async () => {
  const gone = join(dir, 'gone');
  mkdirSync(dir, { recursive: true });
  place.session([user('u', 'left behind')], { project: gone });
  expect(await listSessions({ home: place.home, dir: gone })).toMatchObject([{ summary: 'left behind' }]);
});

test('[SES-40] [SES-41] tells of the tree and the branches, and goes on elsewhere', async () => {
  const { home } = place;
  const branched = place.session(
    [
      user('m1', 'one'),
      assistant('m2', 're: one', { parent: 'm1' }),
      user('m3', 'two', { parent: 'm2' }),
      assistant('m4', 're: two', { parent: 'm3' }),
      user('m5', 'one, edited', { parent: 'm1' }),
      assistant('m6', 're: edited', { parent: 'm5' }),
    ],
    { project: dir },
  ).sessionId;
  const tree = await getSessionTree(branched, { home });
  expect(tree).toMatchObject({ leaf_uuid: 'm6', leafUuid: 'm6', leaves: ['m4', 'm6'] });
  expect(tree.nodes.map(({ parentUuid }) => parentUuid)).toEqual(tree.nodes.map(({ parent_uuid }) => parent_uuid));
  expect(tree.nodes.map(({ uuid, parent_uuid }) => [uuid, parent_uuid])).toContainEqual(['m5', 'm1']);
  expect(await getSessionBranches(branched, { home })).toMatchObject([
    { leaf_uuid: 'm4', leafUuid: 'm4', active: false, turns: 2, preview: 'two' },
    { leaf_uuid: 'm6', active: true, turns: 2, preview: 'one, edited' },
  ]);
  expect(await switchSession(branched, 'm4', { home })).toMatchObject({ leaf: 'm4' });
  expect(await getSessionTree(branched, { home })).toMatchObject({ leaf_uuid: 'm4' });
  expect((await getSessionMessages(branched, { home })).map(({ uuid }) => uuid)).toEqual(['m1', 'm2', 'm3', 'm4']);
  await expect(switchSession(branched, 'm9', { home })).rejects.toMatchObject({ code: 'session_not_found' });
});
