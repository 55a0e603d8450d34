import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTranscript } from '../../../src/sessions/files/transcript-reader.ts';
import { toApiMessages } from '../../../src/sessions/replay/replay.ts';
import { forkSession } from '../../../src/sessions/stored/fork-session.ts';
import { sessionSummary } from '../../../src/sessions/stored/list-sessions.ts';
import { getSessionMessages } from '../../../src/sessions/stored/messages.ts';
import { activeLeaf, pathTo, readTree } from '../../../src/sessions/tree/build-tree.ts';
import { unpairedToolCalls } from '../../../src/sessions/tree/repair-calls.ts';
import { randomIds } from '../../../src/util/system-runtime.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { sessionHome, title, type Written } from '../session-home.ts';
import { apiFaults, assistant, call, collect, golden, result, user } from '../support.ts';

const ids = randomIds();

/** Two prompts, the first answered with two parallel calls; then the second was edited and sent again. */
const TREE: Entry[] = [
  { type: 'queue-operation', operation: 'dequeue' },
  user('u1', 'one', { sessionId: 's' }),
  { type: 'file-history-snapshot', messageId: 'u1', snapshot: { messageId: 'u1', trackedFileBackups: {} } },
  assistant('a1', [call('t1')], { parent: 'u1', id: 'm1', sessionId: 's' }),
  assistant('a2', [call('t2')], { parent: 'a1', id: 'm1', sessionId: 's' }),
  result('r1', 't1', { parent: 'a1' }),
  result('r2', 't2', { parent: 'a2' }),
  assistant('a3', 'done', { parent: 'r2', id: 'm2' }),
  user('u2', 'two', { parent: 'a3' }),
  assistant('a4', 'old answer', { parent: 'u2', id: 'm3' }),
  user('u3', 'two, edited', { parent: 'a3' }),
  assistant('a5', 'new answer', { parent: 'u3', id: 'm4' }),
];

test('[B-100] [K30] copies the active branch with new uuids and the places it comes from', async () => {
  const { session } = sessionHome();
  const source = session([...TREE, title('The work')]);
  const before = readFileSync(source.path);
  const fork = await forkSession(source, { ids });

  expect(readFileSync(source.path)).toEqual(before);
  expect(statSync(fork.path).mode & 0o777).toBe(0o600);
  const { entries, damage } = await collect(readTranscript(fork.path));
  expect(damage).toEqual([]);
  const last = entries.pop();
  expect(last).toEqual({ type: 'custom-title', customTitle: 'The work (fork)', sessionId: fork.sessionId });
  expect(origins(entries)).toEqual(['u1', 'a1', 'a2', 'r1', 'r2', 'a3', 'u3', 'a5']);
  expect(entries.every(({ sessionId }) => sessionId === fork.sessionId)).toBe(true);
  const old = new Set(TREE.map(({ uuid }) => uuid));
  expect(entries.filter(({ uuid }) => typeof uuid !== 'string' || old.has(uuid))).toEqual([]);
});

test('[B-100] the fork goes on with the same conversation as the source', async () => {
  const { session } = sessionHome();
  const source = session(TREE);
  const fork = await forkSession(source, { ids });
  const [ours, theirs] = [await branch(fork), await branch(source)];
  expect(toApiMessages(ours)).toEqual(toApiMessages(theirs));
  expect(apiFaults(toApiMessages(ours))).toEqual([]);
  expect(unpairedToolCalls(ours)).toEqual([]);
});

test('[B-100] upToMessageId copies the branch that ends there, with a title of its own', async () => {
  const { session } = sessionHome();
  const fork = await forkSession(session(TREE), { ids, upToMessageId: 'a4', title: 'Other' });
  const { entries } = await collect(readTranscript(fork.path));
  expect(origins(entries.slice(0, -1))).toEqual(['u1', 'a1', 'a2', 'r1', 'r2', 'a3', 'u2', 'a4']);
  expect(sessionSummary(fork.path)).toMatchObject({ customTitle: 'Other', lastPrompt: 'two' });
});

test('[K30] a message of the source can be addressed in a fork of a fork', async () => {
  const { session } = sessionHome();
  const first = await forkSession(session(TREE), { ids });
  const second = await forkSession(first, { ids, upToMessageId: 'u3' });
  const texts = (await getSessionMessages(second.path)).map(({ message }) => JSON.stringify(message));
  expect(texts.at(-1)).toContain('two, edited');
  const { entries } = await collect(readTranscript(second.path));
  expect(entries[0]?.forkedFrom).toMatchObject({ sessionId: first.sessionId });
});

test('a fork has what compactions replaced, still linked to what replaced it', async () => {
  const { session } = sessionHome();
  const source = session(golden('compact-auto.2.1.44.session'));
  const fork = await forkSession(source, { ids });
  const all = { includeCompacted: true };
  const texts = async ({ path }: { path: string }, options = {}) =>
    (await getSessionMessages(path, options)).map(({ message }) => message);
  expect(await texts(fork)).toEqual(await texts(source));
  expect(await texts(fork, all)).toEqual(await texts(source, all));
  expect((await texts(fork, all)).length).toBeGreaterThan((await texts(fork)).length);
});

test('a message that is not there, and a session without messages, are typed errors', async () => {
  const { session } = sessionHome();
  const source = session(TREE);
  await expect(forkSession(source, { ids, upToMessageId: 'nope' })).rejects.toMatchObject({
    code: 'session_not_found',
    message: 'No message found with message.uuid of: nope',
  });
  await expect(forkSession(session([]), { ids })).rejects.toMatchObject({ code: 'session_not_found' });
});

function origins(entries: readonly Entry[]): unknown[] {
  return entries.map(({ forkedFrom }) => (forkedFrom as { messageUuid: string }).messageUuid);
}

async function branch({ path }: Pick<Written, 'path'>): Promise<Entry[]> {
  const tree = await readTree(readTranscript(path));
  return pathTo(tree, activeLeaf(tree).leaf?.id ?? '');
}

test('[S-18] an entry that is nested 50,000 levels deep is copied as it is', async () => {
  const { session } = sessionHome();
  const depth = 50_000;
  const deep = `${'{"a":['.repeat(depth)}"\\ud800 ü",null,{}${']}'.repeat(depth)}`;
  const line = JSON.stringify({ ...user('u1', 'one'), toolUseResult: '@deep' }).replace('"@deep"', deep);
  const fork = await forkSession(session([`${line}\n`]), { ids });
  const [copy] = readFileSync(fork.path, 'utf8').split('\n');
  expect(copy).toContain(`"toolUseResult":${deep}`);
  const { entries, damage } = await collect(readTranscript(fork.path));
  expect(damage).toEqual([]);
  expect(entries[0]).toMatchObject({ message: { content: 'one' }, forkedFrom: { messageUuid: 'u1' } });
});
