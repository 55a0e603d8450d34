import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readHistory } from '../../../src/host/resume/stored-history.ts';
import { toApiMessages } from '../../../src/sessions/replay/replay.ts';
import { checkTranscript } from '../../../src/sessions/stored/check-transcript.ts';
import { forkedEntries } from '../../../src/sessions/stored/fork-entries.ts';
import { getSessionMessages } from '../../../src/sessions/stored/messages.ts';
import { wholeHistory } from '../../../src/sessions/stored/stored-session.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { activeLeaf, pathTo } from '../../../src/sessions/tree/build-tree.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { apiFaults, assistant, call, golden, loadedFrom, result, tempDir, treeOf, user, uuids } from '../support.ts';

const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };
const reading = { at: undefined, log: () => {}, lean: false };

const BEFORE: Entry[] = [
  user('p1', 'first'),
  assistant('a1', 'one', { parent: 'p1' }),
  user('p2', 'second', { parent: 'a1' }),
  assistant('c2', [call('t2')], { parent: 'p2' }),
  result('r2', 't2', { parent: 'c2' }),
  withUsage(assistant('a2', 'two', { parent: 'r2' }), 150_000),
];

/** As the newer reference leaves a session: what is kept stands before the boundary, which names it. */
function leftBefore(compactMetadata: object, before = BEFORE): Entry[] {
  return [
    ...before,
    boundary('b', 'a2', compactMetadata),
    user('s', 'summary', { parent: 'b', isCompactSummary: true }),
    user('p3', 'third', { parent: 's' }),
    assistant('a3', 'three', { parent: 'p3' }),
  ];
}

function boundary(uuid: string, logicalParentUuid: string, compactMetadata: object): Entry {
  return { parentUuid: null, logicalParentUuid, type: 'system', subtype: 'compact_boundary', uuid, compactMetadata };
}

function withUsage(entry: Entry, input_tokens: number): Entry {
  return { ...entry, message: { ...(entry.message as object), usage: { input_tokens, output_tokens: 1 } } };
}

function ends(headUuid: unknown, tailUuid: unknown, anchorUuid = 's') {
  return { preservedSegment: { headUuid, anchorUuid, tailUuid } };
}

function list(names: unknown, anchorUuid = 's') {
  return { ...ends('a2', 'a2'), preservedMessages: { anchorUuid, uuids: names, allUuids: names } };
}

/** Two of our own making: the copies stand behind the summary. */
const OWN: Entry[] = [
  ...BEFORE,
  boundary('b', 'a2', ends('k1', 'k2')),
  user('s', 'summary', { parent: 'b', isCompactSummary: true }),
  user('k1', 'second', { parent: 's', isMeta: true }),
  assistant('k2', 'two', { parent: 'k1' }),
  user('p3', 'third', { parent: 'k2' }),
];

describe('messages that a compaction has kept and left before its boundary', () => {
  test.each([
    ['named by its ends', ends('c2', 'a2'), ['b', 's', 'c2', 'r2', 'a2', 'p3', 'a3']],
    ['listed, which outdoes the ends', list(['p2', 'a2']), ['b', 's', 'p2', 'a2', 'p3', 'a3']],
    ['a beginning, before the summary', ends('p1', 'a1', 'b'), ['b', 'p1', 'a1', 's', 'p3', 'a3']],
    ['a list that is none, and ends', list('a2'), ['b', 's', 'a2', 'p3', 'a3']],
    ['an empty list', list([]), ['b', 's', 'p3', 'a3']],
  ])('[B-152, S-6] %s: they follow the anchor, once, linked in that order', (_, metadata, expected) => {
    const tree = treeOf(leftBefore(metadata));
    const path = pathTo(tree, 'a3');
    expect(uuids(path)).toEqual(expected);
    expect(path.map(({ parentUuid }) => parentUuid)).toEqual([null, ...expected.slice(0, -1)]);
    expect(apiFaults(toApiMessages(path))).toEqual([]);
    expect(tree.findings).toEqual([]);
    expect(uuids(wholeHistory(tree, 'a3'))).toEqual([...uuids(BEFORE), 'b', 's', 'p3', 'a3']);
    expect(uuids(pathTo(tree, 'a2'))).toEqual(uuids(BEFORE));
  });

  test('[B-152] as the reference has recorded it', () => {
    const tree = treeOf(golden('sequence-compact-resume.2.1.325.session-S1'));
    const { leaf } = activeLeaf(tree);
    const path = pathTo(tree, leaf?.id ?? '');
    expect(uuids(path).slice(0, 4)).toEqual(['U23', 'U24', 'U22', 'U26']);
    expect(path.filter(({ uuid }) => uuid === 'U22')).toHaveLength(1);
    expect(apiFaults(toApiMessages(path))).toEqual([]);
    expect(tree.findings).toEqual([]);
  });

  test('[B-152] copies of our own, behind the summary, are not doubled', () => {
    const tree = treeOf(OWN);
    expect(uuids(pathTo(tree, 'p3'))).toEqual(['b', 's', 'k1', 'k2', 'p3']);
    expect([tree.retained.size, tree.findings]).toEqual([0, []]);
  });

  test('[B-152] kept through two compactions', () => {
    const again = [
      ...leftBefore(ends('p2', 'a2')),
      boundary('b2', 'a3', list(['a2', 'a3'], 's2')),
      user('s2', 'all of it', { parent: 'b2', isCompactSummary: true }),
    ];
    const tree = treeOf(again);
    expect(uuids(pathTo(tree, 's2'))).toEqual(['b2', 's2', 'a2', 'a3']);
    expect(tree.findings).toEqual([]);
  });

  test('[B-152] what the boundary stands for is lost with its line: what was kept leads there', () => {
    const entries = leftBefore(ends('c2', 'r2')).filter(({ uuid }) => uuid !== 'a2');
    const tree = treeOf(entries);
    expect(uuids(pathTo(tree, 'a3'))).toEqual(['b', 's', 'c2', 'r2', 'p3', 'a3']);
    expect(uuids(wholeHistory(tree, 'a3'))).toEqual(uuids(entries));
  });
});

describe('names that make no sense', () => {
  const circle = BEFORE.map((entry) => (entry.uuid === 'p1' ? { ...entry, parentUuid: 'a2' } : entry));
  const crossing = [
    ...leftBefore({}).map((entry) => (entry.uuid === 'b' ? { ...entry, uuid: 'b0' } : entry)),
    boundary('b', 'a3', ends('p2', 'a3', 's1')),
    user('s1', 'again', { parent: 'b', isCompactSummary: true }),
    user('p4', 'fourth', { parent: 's1' }),
  ].map((entry) => (entry.parentUuid === 'b' && entry.uuid === 's' ? { ...entry, parentUuid: 'b0' } : entry));

  test.each<[string, Entry[]]>([
    ['a uuid that is nowhere', leftBefore(ends('nobody', 'a2'))],
    ['one of a list that is nowhere', leftBefore(list(['p2', 'nobody']))],
    ['no anchor', leftBefore(ends('p2', 'a2', 'nobody'))],
    ['an anchor from before', leftBefore(ends('p2', 'a2', 'p1'))],
    ['the first behind the last', leftBefore(ends('a2', 'p2'))],
    ['one named twice', leftBefore(list(['a2', 'a2']))],
    ['no texts', leftBefore({ preservedSegment: { headUuid: 1 } })],
    ['half of them behind the boundary', leftBefore(ends('a2', 'p3'))],
    ['a subagent’s message', leftBefore(list(['x']), [...BEFORE, user('x', 'aside', { isSidechain: true })])],
    ['another compaction among them', crossing],
  ])('[B-152, K15] %s: the conversation goes on without them, and says so', async (_, entries) => {
    const leaf = String(entries.at(-1)?.uuid);
    const store = createJsonlStore({ home: tempDir(), log: () => {} });
    await store.append(key, entries);
    const history = await readHistory(store, key, reading);
    const own = entries.slice(entries.findIndex(({ uuid }) => uuid === 'b'));
    expect(uuids(history.path)).toEqual(uuids(own));
    expect(history.leaf).toBe(leaf);
    expect(history.report?.dropped).toContainEqual(
      expect.objectContaining({ uuid: 'b', reason: expect.stringContaining('left out') }),
    );
    expect(checkTranscript(loadedFrom(entries))).toContainEqual(expect.objectContaining({ kind: 'lost_segment' }));
    expect(apiFaults(toApiMessages(history.path))).toEqual([]);
  });

  test('[B-152, K15] a circle before the boundary costs no message', () => {
    const tree = treeOf(leftBefore(ends('p2', 'a2'), circle));
    expect(uuids(pathTo(tree, 'a3'))).toEqual(['b', 's', 'p2', 'c2', 'r2', 'a2', 'p3', 'a3']);
    expect(tree.findings.map(({ kind }) => kind)).toEqual(['cycle']);
  });
});

describe('going on with them', () => {
  async function stored(entries: readonly Entry[]) {
    const store = createJsonlStore({ home: tempDir(), log: () => {} });
    await store.append(key, entries);
    let loads = 0;
    const load: typeof store.load = (...args) => {
      loads++;
      return store.load(...args);
    };
    return { store: { ...store, load }, loads: () => loads };
  }

  test('[B-152, S-6] a resume sends them behind the summary; the window is not as full as it was', async () => {
    const { store, loads } = await stored(leftBefore(ends('c2', 'a2')).slice(0, -1));
    const history = await readHistory(store, key, reading);
    const messages = history.messages([]);
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type).join()])).toEqual([
      ['user', 'text'],
      ['assistant', 'tool_use'],
      ['user', 'tool_result'],
      ['assistant', 'text'],
      ['user', 'text'],
    ]);
    expect(history).toMatchObject({ leaf: 'p3', lastTokens: 0, report: null, unpaired: [] });
    expect(loads()).toBe(1);
  });

  test('[B-152, S-7] a call that was kept without its result gets none in the file', async () => {
    const { store } = await stored(leftBefore(list(['c2'])));
    const history = await readHistory(store, key, reading);
    expect(history.unpaired).toEqual([]);
    expect(apiFaults(toApiMessages(history.path))).toEqual([]);
  });

  test('[B-152, SES-34] copies of our own: only what is behind the boundary is read', async () => {
    const { store, loads } = await stored(OWN);
    const history = await readHistory(store, key, reading);
    expect(uuids(history.path)).toEqual(['b', 's', 'k1', 'k2', 'p3']);
    expect([history.report, loads()]).toEqual([null, 0]);
  });

  test('[B-152] the messages that hosts are given hold them once, with the compacted ones as well', async () => {
    const path = join(tempDir(), `${key.sessionId}.jsonl`);
    const entries = leftBefore(ends('p2', 'a2'));
    writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    expect((await getSessionMessages(path)).map(({ uuid }) => uuid)).toEqual(['s', 'p2', 'c2', 'r2', 'a2', 'p3', 'a3']);
    const all = await getSessionMessages(path, { includeCompacted: true });
    expect(all.map(({ uuid }) => uuid)).toEqual([...uuids(BEFORE), 's', 'p3', 'a3']);
  });

  test.each([
    ['left before', leftBefore(list(['p2', 'a2']))],
    ['of our own', [...OWN, assistant('a3', 'three', { parent: 'p3' })]],
  ])('[B-152] a fork has its own names for those %s', (_, entries) => {
    const tree = treeOf(entries);
    let count = 0;
    const ids = { from: 'x', to: 'y', newUuid: () => `n${count++}` };
    const fork = treeOf(forkedEntries(tree, 'a3', ids));
    const leaf = [...fork.nodes.keys()].at(-1) ?? '';
    const origins = pathTo(fork, leaf).map(({ forkedFrom }) => (forkedFrom as { messageUuid: string }).messageUuid);
    expect(origins).toEqual(uuids(pathTo(tree, 'a3')));
    expect(fork.findings).toEqual([]);
  });

  test('[B-152] a copy of the path alone stands alone', () => {
    const copied = treeOf(pathTo(treeOf(leftBefore(ends('p2', 'a2'))), 'a3'));
    expect(uuids(pathTo(copied, 'a3'))).toEqual(['b', 's', 'p2', 'c2', 'r2', 'a2', 'p3', 'a3']);
    expect([copied.retained.size, copied.findings]).toEqual([0, []]);
  });
});
