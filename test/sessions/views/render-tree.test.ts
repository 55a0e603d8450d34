import { describe, expect, test } from 'vitest';
import { storedSession } from '../../../src/sessions/stored/stored-session.ts';
import { outlineOf } from '../../../src/sessions/views/outline.ts';
import { drawTree } from '../../../src/sessions/views/render-tree.ts';
import { treeView } from '../../../src/sessions/views/tree-json.ts';
import { createPaint } from '../../../src/util/text/paint.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, call, loadedFrom, result, user } from '../support.ts';

/** The example of the seed: m1 with two branches, m2 m3 m4 and m5 m6. */
const seed: Entry[] = [
  user('m1', 'Message1', { at: '2025-01-01T00:00:01Z' }),
  assistant('m2', 'Message2', { parent: 'm1', at: '2025-01-01T00:00:02Z' }),
  user('m3', 'Message3', { parent: 'm2', at: '2025-01-01T00:00:03Z' }),
  assistant('m4', 'Message4', { parent: 'm3', at: '2025-01-01T00:00:04Z' }),
  user('m5', 'Message5', { parent: 'm1', at: '2025-01-01T00:00:05Z' }),
  assistant('m6', 'Message6', { parent: 'm5', at: '2025-01-01T00:00:06Z' }),
];
const summary = { type: 'summary', leafUuid: 'm6', summary: '用户尝试了另一个方案' };
const title = { type: 'custom-title', sessionId: 's', customTitle: '实验会话' };

const stored = (entries: readonly Entry[]) => storedSession({ sessionId: 's', path: '/s.jsonl' }, loadedFrom(entries));

function drawn(entries: readonly Entry[], options: { messages?: boolean; width?: number; colours?: boolean } = {}) {
  const session = stored(entries);
  const { messages = false, width = 100, colours = false } = options;
  const paint = createPaint({ colours });
  return drawTree(outlineOf(session), { paint, width, messages, summaries: session.summaries });
}

describe('the drawn tree', () => {
  test('[SES-40, SES-37] the branches of the seed, with the summary of one and the active leaf', () => {
    expect(drawn([...seed, summary, title])).toEqual([
      '● Message1 · 1 turn · m1',
      '├─○ Message3 · 1 turn · m4',
      '└─● 用户尝试了另一个方案 · 1 turn · m6 ◀ active',
    ]);
  });

  test('[SES-40] every message', () => {
    expect(drawn(seed, { messages: true })).toEqual([
      '● you: Message1 · m1',
      '├─○ agent: Message2 · m2',
      '│   you: Message3 · m3',
      '│   agent: Message4 · m4',
      '└─● you: Message5 · m5',
      '    agent: Message6 · m6 ◀ active',
    ]);
  });

  test('[SES-41, K21] a recorded leaf is the active one, also in the middle of a stretch', () => {
    const leaf = (leafUuid: string) => ({ type: 'last-prompt', lastPrompt: '', leafUuid, sessionId: 's' });
    expect(drawn([...seed, leaf('m4')])[1]).toBe('├─● Message3 · 1 turn · m4 ◀ active');
    expect(drawn([...seed, leaf('m3')])[1]).toBe('├─● Message3 · 1 turn · m4 ◀ active at m3');
    expect(drawn([...seed, leaf('m4')])[2]).toMatch(/^└─○ /);
  });

  test('branches of branches', () => {
    const deeper = [...seed, user('m7', 'again', { parent: 'm2' }), user('n1', 'a new beginning')];
    expect(drawn(deeper)).toEqual([
      '○ Message1 · 1 turn · m1',
      '├─○ Message2 · 0 turns · m2',
      '│ ├─○ Message3 · 1 turn · m4',
      '│ └─○ again · 1 turn · m7',
      '└─○ Message5 · 1 turn · m6',
      '● a new beginning · 1 turn · n1 ◀ active',
    ]);
  });

  test('[K14] parallel results are no branches; what follows a compaction hangs from what it stands for', () => {
    const compacted = [
      user('u1', 'do both'),
      assistant('a1', [call('t1')], { parent: 'u1', id: 'answer' }),
      assistant('a2', [call('t2')], { parent: 'a1', id: 'answer' }),
      result('r1', 't1', { parent: 'a1' }),
      result('r2', 't2', { parent: 'a2' }),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b',
        parentUuid: null,
        logicalParentUuid: 'r2',
        content: '',
      },
      user('s1', 'the summary', { parent: 'b', isCompactSummary: true }),
      user('u2', 'and now', { parent: 's1' }),
    ];
    expect(drawn(compacted)).toEqual(['● do both · 2 turns · u2 ◀ active']);
    expect(drawn(compacted, { messages: true })[2]).toBe('  (compacted) the summary · s1');
  });

  test('a damaged compaction that leads back to itself still ends', () => {
    const circle = [
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b',
        parentUuid: null,
        logicalParentUuid: 'u2',
        content: '',
      },
      user('s1', 'the summary', { parent: 'b', isCompactSummary: true }),
      user('u2', 'and now', { parent: 's1' }),
    ];
    expect(drawn(circle)).toHaveLength(1);
  });

  test('[K14] what is no conversation is not drawn: subagents, progress, attachments', () => {
    const more = [
      { type: 'attachment', uuid: 'x1', parentUuid: 'm6', attachment: { type: 'environment' } },
      { type: 'progress', uuid: 'x2', parentUuid: 'm4', data: {} },
      user('x3', 'a subagent', { isSidechain: true }),
    ];
    expect(drawn([...seed, ...more])).toEqual(drawn(seed));
  });
});

describe('what it has cost', () => {
  const usage = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
  const cost = (totalCostUSD: number, input: number, output: number): Entry => {
    return {
      type: 'cost-state',
      sessionId: 's',
      totalCostUSD,
      modelUsage: { m: { inputTokens: input, outputTokens: output } },
    };
  };
  const answer = (uuid: string, parent: string, stopReason: string | null = 'end_turn'): Entry => {
    const message = { id: uuid, role: 'assistant', content: [{ type: 'text', text: uuid }], usage: usage(1500, 20) };
    return { type: 'assistant', uuid, parentUuid: parent, message: { ...message, stop_reason: stopReason } };
  };
  const turns = [
    user('p1', 'one'),
    answer('a1', 'p1'),
    cost(0.01, 100, 10),
    user('p2', 'two', { parent: 'a1' }),
    answer('a2', 'p2'),
    cost(0.03, 300, 25),
    user('p3', 'other', { parent: 'a1' }),
    answer('a3', 'p3'),
    cost(0.1, 400, 30),
  ];

  test('each branch has the turns that were run on it', () => {
    expect(drawn(turns)).toEqual([
      '● one · 1 turn · $0.0100 · a1',
      '├─○ two · 1 turn · $0.0200 · a2',
      '└─● other · 1 turn · $0.0700 · a3 ◀ active',
    ]);
  });

  test('where it is not known, tokens; those of an unfinished answer are not guessed', () => {
    const unbooked = turns.filter(({ type }) => type !== 'cost-state');
    expect(drawn(unbooked)[1]).toBe('├─○ two · 1 turn · 1.5k tokens in, 20 out · a2');
    expect(drawn([user('p1', 'one'), answer('a1', 'p1', null)])).toEqual([
      '● one · 1 turn · 1.5k tokens in · a1 ◀ active',
    ]);
  });

  test('a price of nothing is no price: the tokens are what is known', () => {
    expect(drawn([user('p1', 'one'), answer('a1', 'p1'), cost(0, 1000, 50)])).toEqual([
      '● one · 1 turn · 1.0k tokens in, 50 out · a1 ◀ active',
    ]);
  });

  test('what a fork has copied was not paid for here', () => {
    const copied = [user('p1', 'one'), answer('a1', 'p1'), user('p2', 'two', { parent: 'a1' }), answer('a2', 'p2')];
    expect(drawn([...copied, cost(0.02, 5, 5)])[0]).toContain('tokens in');
  });
});

describe('on a terminal', () => {
  test('lines fit, wide characters count as two, and ids stay whole', () => {
    const [line = ''] = drawn([user('u1', '你好'.repeat(100))], { width: 60 });
    expect(line).toMatch(/^● (你好)+你?… · 1 turn · u1 ◀ active$/);
    expect([...line].reduce((sum, char) => sum + (/\p{Script=Han}/u.test(char) ? 2 : 1), 0)).toBeLessThanOrEqual(60);
  });

  test('stored text cannot act on the terminal', () => {
    expect(drawn([user('u1', 'a\u001b[2Jb\u202ec')])[0]).toBe('● a\\u{1b}[2Jb\\u{202e}c · 1 turn · u1 ◀ active');
  });

  test('colours are added around the texts', () => {
    const plain = drawn(seed);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are
    expect(drawn(seed, { colours: true }).map((line) => line.replaceAll(/\u001b\[\d+m/g, ''))).toEqual(plain);
    expect(drawn(seed, { colours: true })[0]).toContain('\u001b[32m●');
  });
});

test('[SES-40, SES-12] for programs: nodes with parents, leaves, the active one', () => {
  expect(treeView(stored([...seed, summary, title]))).toMatchObject({
    session_id: 's',
    title: '实验会话',
    leaf_uuid: 'm6',
    leaf_rule: 'file_order',
    leaves: ['m4', 'm6'],
    branches: [
      { leaf_uuid: 'm4', active: false, title: 'Message3', turns: 2 },
      { leaf_uuid: 'm6', active: true, title: '用户尝试了另一个方案', turns: 2 },
    ],
    nodes: [
      { uuid: 'm1', parent_uuid: null, type: 'user', preview: 'Message1' },
      { uuid: 'm2', parent_uuid: 'm1' },
      { uuid: 'm3', parent_uuid: 'm2' },
      { uuid: 'm4', parent_uuid: 'm3' },
      { uuid: 'm5', parent_uuid: 'm1' },
      { uuid: 'm6', parent_uuid: 'm5' },
    ],
    findings: [],
  });
});
