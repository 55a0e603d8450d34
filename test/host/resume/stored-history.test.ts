import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHistory, type StoredHistory } from '../../../src/host/resume/stored-history.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { restoreTodos } from '../../../src/tools/task-list/todo-list.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, result, tempDir, user } from '../../sessions/support.ts';

const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };

/** One thing that happens in a session; `pick` chooses among what there is. */
interface Happening {
  what: string;
  pick: number;
}

/** Entries as a session would have written them, and some that no tidy session writes. */
function entriesOf(happenings: readonly Happening[]): Entry[] {
  const entries: Entry[] = [];
  const nodes: string[] = [];
  let leaf: string | null = null;
  const name = () => `u${entries.length}`;
  const add = (entry: Entry) => {
    entries.push(entry);
    leaf = String(entry.uuid);
    nodes.push(leaf);
  };
  for (const { what, pick } of happenings) {
    const uuid = name();
    const earlier = nodes.length === 0 ? null : (nodes[pick % nodes.length] ?? null);
    if (what === 'prompt') add(user(uuid, `say ${uuid}`, { parent: leaf }));
    if (what === 'edit') add(user(uuid, `edited ${uuid}`, { parent: earlier }));
    if (what === 'answer') add(assistant(uuid, `answer ${uuid}`, { parent: leaf, slug: `plan-${pick % 3}` }));
    if (what === 'call' || what === 'todo' || what === 'cut-call') {
      const input = { todos: [{ content: uuid, status: 'pending', activeForm: uuid }] };
      const call = { type: 'tool_use', id: `t${uuid}`, name: what === 'todo' ? 'TodoWrite' : 'Read', input };
      add(assistant(uuid, [call], { parent: leaf }));
      if (what !== 'cut-call')
        add(result(name(), `t${uuid}`, { parent: leaf, toolUseResult: { big: 'x'.repeat(50) } }));
    }
    if (what === 'stray-result') add(result(uuid, `t${earlier}`, { parent: leaf }));
    if (what === 'reminder') {
      add({ type: 'attachment', attachment: { type: 'environment', content: uuid }, parentUuid: leaf, uuid });
    }
    if (what === 'boundary') {
      const fields = { subtype: 'compact_boundary', content: 'Conversation compacted' };
      add({ parentUuid: null, logicalParentUuid: leaf, type: 'system', ...fields, uuid });
      add(user(name(), `summary ${uuid}`, { parent: leaf, isCompactSummary: true }));
    }
    if (what === 'bare-boundary') {
      add({ parentUuid: null, logicalParentUuid: leaf, type: 'system', subtype: 'compact_boundary', uuid });
    }
    if (what === 'clear') add(user(uuid, `anew ${uuid}`, { parent: null }));
    if (what === 'side') entries.push(user(uuid, 'aside', { parent: pick % 2 ? leaf : null, isSidechain: true }));
    if (what === 'side-boundary') {
      const fields = { subtype: 'compact_boundary', isSidechain: true, logicalParentUuid: leaf };
      entries.push({ parentUuid: null, type: 'system', ...fields, uuid });
    }
    if (what === 'quoted')
      add(user(uuid, [{ type: 'text', text: 'x', subtype: 'compact_boundary' }], { parent: leaf }));
    if (what === 'mode') entries.push({ type: 'mode', mode: pick % 2 ? 'plan' : 'default' });
    if (what === 'odd-mode') entries.push({ type: 'mode' });
    if (what === 'cost')
      entries.push({ type: 'cost-state', modelUsage: { m: { costUSD: pick } }, totalAPIDuration: pick });
    if (what === 'odd-cost') entries.push({ type: 'cost-state', modelUsage: 'much' });
    if (what === 'recorded') entries.push({ type: 'last-prompt', leafUuid: earlier ?? 'nobody' });
    if (what === 'orphan') add(user(uuid, `orphan ${uuid}`, { parent: 'nobody' }));
    if (what === 'old') entries.push({ type: 'user', message: { role: 'user', content: `old ${uuid}` } });
    if (what === 'snapshot' && earlier !== null) {
      const snapshot = { messageId: earlier, trackedFileBackups: {}, timestamp: '' };
      entries.push({ type: 'file-history-snapshot', messageId: earlier, snapshot, isSnapshotUpdate: false });
    }
  }
  return entries;
}

const TIDY = ['prompt', 'edit', 'answer', 'call', 'todo', 'cut-call', 'reminder', 'boundary', 'mode', 'cost'];
const ODD = [
  'bare-boundary',
  'clear',
  'side',
  'side-boundary',
  'quoted',
  'odd-mode',
  'odd-cost',
  'recorded',
  'snapshot',
];
const BROKEN = ['stray-result', 'orphan', 'old'];

const sessionOf = (kinds: readonly string[]) =>
  fc.array(fc.record({ what: fc.constantFrom(...kinds), pick: fc.nat({ max: 1000 }) }), { maxLength: 40 });

/** What a session goes on with. */
async function told(history: StoredHistory): Promise<unknown> {
  const { path, leaf, uuids, costState, lastMode, planName, reminders, lastTokens, unpaired } = history;
  const messages = history.messages([]);
  const todos = restoreTodos(messages) ?? restoreTodos(await history.earlier('TodoWrite'));
  const checkpoints = await history.checkpoints();
  const rest = { costState, lastMode, planName, reminders, lastTokens, unpaired, messages, todos, checkpoints };
  return { path, leaf, uuids, ...rest };
}

/** The same store, and how often all of a session was read. */
function counting(store: SessionStore): { store: SessionStore; loads: () => number } {
  let loads = 0;
  const load: SessionStore['load'] = (...args) => {
    loads++;
    return store.load(...args);
  };
  return { store: { ...store, load }, loads: () => loads };
}

async function storeOf(entries: readonly Entry[]): Promise<SessionStore> {
  const store = createJsonlStore({ home: tempDir(), log: () => {} });
  await store.append(key, entries);
  await store.close?.();
  return store;
}

const reading = { at: undefined, log: () => {}, lean: false };

describe('reading back to the last compaction', () => {
  test.each([
    ['tidy', TIDY],
    ['odd', [...TIDY, ...ODD]],
    ['broken', [...TIDY, ...ODD, ...BROKEN]],
  ])('[K21] %s sessions: the end alone says the same as the whole', async (_, kinds) => {
    let byEnd = 0;
    await fc.assert(
      fc.asyncProperty(sessionOf(kinds), fc.option(fc.nat()), async (happenings, asked) => {
        const entries = entriesOf(happenings);
        const store = await storeOf(entries);
        const named = entries.flatMap(({ uuid, type, isSidechain }) =>
          typeof uuid === 'string' && type !== 'system' && isSidechain !== true ? [uuid] : [],
        );
        const at = asked === null || named.length === 0 ? undefined : named[asked % named.length];
        const { store: counted, loads } = counting(store);
        const history = await readHistory(counted, key, { ...reading, at });
        if (loads() === 0) byEnd++;
        const whole = await readHistory({ ...store, loadRecent: async () => null }, key, { ...reading, at });
        expect(await told(history)).toEqual(await told(whole));
      }),
      { numRuns: 80, seed: 21 },
    );
    expect(byEnd).toBeGreaterThan(5);
  });

  const compacted = entriesOf(
    ['todo', 'mode', 'cost', 'boundary', 'answer', 'prompt', 'answer'].map((what) => ({ what, pick: 1 })),
  );

  test('[SES-34] a session that was compacted is not read whole, also for what stands before', async () => {
    const { store, loads } = counting(await storeOf(compacted));
    const history = await readHistory(store, key, reading);
    expect(history).toMatchObject({ lastMode: 'plan', costState: { apiMs: 1 }, report: null });
    expect(await history.earlier('Bash')).toEqual([]);
    expect(loads()).toBe(0);
    expect(restoreTodos(await history.earlier('TodoWrite'))).toHaveLength(1);
    expect(loads()).toBe(1);
  });

  test.each([
    ['an orphan', [user('z', 'lost', { parent: 'nobody' })]],
    ['a result of an earlier call', [result('z', 'tu0', { parent: 'u6' })]],
    ['a leaf from before that was recorded', [{ type: 'last-prompt', leafUuid: 'u1' }]],
    ['a line that is no entry', ['{"torn'] as unknown as Entry[]],
  ])('%s behind the boundary: the whole is read', async (_, more) => {
    const { store, loads } = counting(await storeOf([...compacted, ...more]));
    await readHistory(store, key, reading);
    expect(loads()).toBe(1);
  });

  test('lean: without what tools told the host', async () => {
    const store = await storeOf(compacted.slice(0, 3));
    const results = async (lean: boolean) =>
      (await readHistory(store, key, { ...reading, lean })).path.map(({ toolUseResult }) => toolUseResult);
    expect(await results(false)).toEqual([undefined, { big: 'x'.repeat(50) }]);
    expect(await results(true)).toEqual([undefined, undefined]);
  });

  test('a message that was asked for and lies before: the whole is read', async () => {
    const { store, loads } = counting(await storeOf(compacted));
    expect((await readHistory(store, key, { ...reading, at: 'u1' })).leaf).toBe('u1');
    expect(loads()).toBe(1);
    await expect(readHistory(store, key, { ...reading, at: 'nobody' })).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });
});

describe('a session without branches', () => {
  /** A subagent's entry changes nothing, but the order of the file alone is no longer enough. */
  const withAside = (store: SessionStore): SessionStore => ({
    ...store,
    async *load(...args) {
      yield* store.load(...args);
      yield { entry: user('aside', 'aside', { parent: null, isSidechain: true }), line: 1_000_000 };
    },
  });
  const LINEAR = ['prompt', 'answer', 'call', 'todo', 'cut-call', 'reminder', 'mode', 'cost', 'snapshot', 'recorded'];

  test('[K21] the order of the file says the same as the tree', async () => {
    await fc.assert(
      fc.asyncProperty(sessionOf(LINEAR), async (happenings) => {
        const store = await storeOf(entriesOf([{ what: 'prompt', pick: 0 }, ...happenings]));
        const plain = await readHistory(store, key, reading);
        const general = await readHistory(withAside(store), key, reading);
        expect(await told(plain)).toEqual(await told(general));
        expect(plain.report).toEqual(general.report);
      }),
      { numRuns: 40, seed: 21 },
    );
  });
});
