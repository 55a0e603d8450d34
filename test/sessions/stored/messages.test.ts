import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { subagentsFolder } from '../../../src/sessions/files/session-paths.ts';
import { getSessionMessages, getSubagentMessages, listSubagents } from '../../../src/sessions/stored/messages.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { sessionHome } from '../session-home.ts';
import { assistant, user } from '../support.ts';

const ID = 'abcdef01-0000-4000-8000-000000000000';
const AT = '2026-01-01T00:00:00.000Z';

const EDITED: Entry[] = [
  user('u1', 'one', { at: AT }),
  assistant('a1', 'first', { parent: 'u1' }),
  user('u2', 'two', { parent: 'a1' }),
  assistant('a2', 'second', { parent: 'u2' }),
  user('u3', 'two, edited', { parent: 'a1' }),
  { type: 'attachment', attachment: { type: 'date' }, uuid: 'x', parentUuid: 'u3' },
  user('m', 'told by the runtime', { parent: 'x', isMeta: true }),
  assistant('a3', 'third', { parent: 'm' }),
];

test('[B-095] the messages of the active branch, in the shape of the wire', async () => {
  const { session } = sessionHome();
  const { path } = session(EDITED, { sessionId: ID });
  const messages = await getSessionMessages(path);
  expect(messages.map(({ uuid }) => uuid)).toEqual(['u1', 'a1', 'u3', 'a3']);
  expect(messages[0]).toEqual({
    type: 'user',
    uuid: 'u1',
    session_id: ID,
    message: { role: 'user', content: 'one' },
    parent_tool_use_id: null,
    parent_agent_id: null,
    timestamp: AT,
  });
});

test('[B-095] pages, and another branch by its last message', async () => {
  const { session } = sessionHome();
  const { path } = session(EDITED);
  const uuids = async (options: object) => (await getSessionMessages(path, options)).map(({ uuid }) => uuid);
  expect(await uuids({ limit: 2, offset: 1 })).toEqual(['a1', 'u3']);
  expect(await uuids({ offset: 9 })).toEqual([]);
  expect(await uuids({ upToMessageId: 'a2' })).toEqual(['u1', 'a1', 'u2', 'a2']);
  await expect(uuids({ upToMessageId: 'none' })).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(uuids({ limit: 1.5 })).rejects.toMatchObject({ code: 'invalid_option' });
});

test('[B-095] from the last compaction on, or all of it; system entries when asked for', async () => {
  const { session } = sessionHome();
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b',
    parentUuid: null,
    logicalParentUuid: 'a1',
  };
  const summary = user('s', 'the summary', { parent: 'b', isCompactSummary: true });
  const { path } = session([...EDITED.slice(0, 2), boundary, summary, assistant('a9', 'on', { parent: 's' })]);
  const uuids = async (options: object) => (await getSessionMessages(path, options)).map(({ uuid }) => uuid);
  expect(await uuids({})).toEqual(['s', 'a9']);
  expect(await uuids({ includeSystemMessages: true })).toEqual(['b', 's', 'a9']);
  expect(await uuids({ includeCompacted: true })).toEqual(['u1', 'a1', 's', 'a9']);
});

test('a session without messages has none', async () => {
  const { session } = sessionHome();
  expect(await getSessionMessages(session([]).path)).toEqual([]);
});

test('[B-096] subagents are listed and read', async () => {
  const { session } = sessionHome();
  const { path } = session(EDITED, { sessionId: ID });
  expect(listSubagents(path)).toEqual([]);
  const file = join(subagentsFolder(path), 'agent-a1b2.jsonl');
  mkdirSync(dirname(file), { recursive: true });
  const side = { isSidechain: true, agentId: 'a1b2', sessionId: ID };
  const entries = [user('p', 'look', side), assistant('q', 'found', { parent: 'p', ...side })];
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  writeFileSync(join(dirname(file), 'agent-a1b2.meta.json'), '{}');

  expect(listSubagents(path)).toEqual(['a1b2']);
  expect(await getSubagentMessages(path, 'a1b2')).toMatchObject([
    { uuid: 'p', type: 'user', session_id: ID },
    { uuid: 'q', type: 'assistant', session_id: ID },
  ]);
  for (const name of ['none', '../../x']) {
    await expect(getSubagentMessages(path, name)).rejects.toMatchObject({ code: 'session_not_found' });
  }
});
