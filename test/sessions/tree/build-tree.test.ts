import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  activeLeaf,
  buildTree,
  leafByFileOrder,
  leafByTimestamp,
  pathTo,
} from '../../../src/sessions/tree/build-tree.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, call, golden, loadedFrom, result, treeOf, user, uuids } from '../support.ts';

/** m1 with two branches: m2 m3 m4, and m5 m6. */
const branched = [
  user('m1', 'one', { at: '2025-01-01T00:00:01Z' }),
  assistant('m2', 'two', { parent: 'm1', at: '2025-01-01T00:00:02Z' }),
  user('m3', 'three', { parent: 'm2', at: '2025-01-01T00:00:03Z' }),
  assistant('m4', 'four', { parent: 'm3', at: '2025-01-01T00:00:04Z' }),
  user('m5', 'five', { parent: 'm1', at: '2025-01-01T00:00:05Z' }),
  assistant('m6', 'six', { parent: 'm5', at: '2025-01-01T00:00:06Z' }),
];

/** The uuids of the path to where the conversation goes on. */
function activePath(entries: readonly Entry[]): unknown[] {
  const tree = treeOf(entries);
  return uuids(pathTo(tree, activeLeaf(tree).leaf?.id ?? ''));
}

describe('branches', () => {
  test('[SES-02] [SES-03] [SES-12] nodes, children, roots and leaves', () => {
    const tree = treeOf(branched);
    expect(tree.roots.map((node) => node.id)).toEqual(['m1']);
    expect(tree.nodes.get('m1')?.children.map((node) => node.id)).toEqual(['m2', 'm5']);
    expect(tree.leaves.map((node) => node.id)).toEqual(['m4', 'm6']);
    expect(tree.findings).toEqual([]);
  });

  test('[SES-13] [SES-15] [S-17] the newest branch is taken, root first; the other stays in the tree', () => {
    expect(activePath(branched)).toEqual(['m1', 'm5', 'm6']);
    expect(uuids(pathTo(treeOf(branched), 'm4'))).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  test('[SES-14] a leaf that is asked for wins; an unknown one falls back to the newest', () => {
    const tree = treeOf(branched);
    expect(activeLeaf(tree, 'm4')).toMatchObject({ leaf: { id: 'm4' }, rule: 'explicit' });
    expect(activeLeaf(tree, 'nowhere')).toMatchObject({ leaf: { id: 'm6' }, rule: 'file_order' });
    expect(pathTo(tree, 'nowhere')).toEqual([]);
  });

  test('an empty session has no leaf', () => {
    expect(activeLeaf(treeOf([]))).toEqual({ leaf: null, rule: 'file_order', byTimestamp: null });
  });

  test('[SES-29] [SES-31] an edited prompt is a sibling, and a resume follows it', () => {
    const edited = [
      ...branched,
      user('m7', 'three, edited', { parent: 'm2' }),
      assistant('m8', 'ok', { parent: 'm7' }),
    ];
    expect(activePath(edited)).toEqual(['m1', 'm2', 'm7', 'm8']);
    expect(treeOf(edited).leaves.map((node) => node.id)).toEqual(['m4', 'm6', 'm8']);
  });

  test('a new root beside the first one (K41) begins a conversation of its own', () => {
    expect(activePath([...branched, user('n1', 'one, edited')])).toEqual(['n1']);
  });
});

describe('[K21] which leaf', () => {
  const at = (times: unknown[]) => branched.map((entry, i) => ({ ...entry, timestamp: times[i] }));

  test.each([
    ['clock set back', ['2025-01-02', '2025-01-02', '2025-01-02', '2025-01-02', '2025-01-01', '2025-01-01']],
    [
      'year 2999 on the old branch',
      ['2025-01-01', '2999-01-01', '2999-01-01', '2999-01-01', '2025-01-01', '2025-01-01'],
    ],
    ['invalid', ['x', '2025-01-01', 'x', '2025-01-01', 'x', 'not a time']],
    ['missing', ['2025-01-01', '2025-01-01', '2025-01-01', '2025-01-01', undefined, undefined]],
  ])('[S-16] %s: the branch written last wins, and the other rule is named', (_, times) => {
    const tree = treeOf(at(times));
    expect(leafByFileOrder(tree)?.id).toBe('m6');
    expect(leafByTimestamp(tree)?.id).toBe('m4');
    expect(activeLeaf(tree)).toMatchObject({ leaf: { id: 'm6' }, rule: 'file_order', byTimestamp: { id: 'm4' } });
  });

  test('[SES-33] timestamps are compared as instants, whatever their zone', () => {
    const zones = at([0, 0, 0, '2025-01-01T12:00:00+09:00', 0, '2025-01-01T04:00:00Z']);
    expect(leafByTimestamp(treeOf(zones))?.id).toBe('m6');
    expect(leafByTimestamp(treeOf(at([0, 0, 0, '2025-01-01T12:00:00-09:00', 0, '2025-01-01T04:00:00Z'])))?.id).toBe(
      'm4',
    );
  });

  test('equal timestamps: the order of the file decides', () => {
    const tree = treeOf(at(Array(6).fill('2025-01-01')));
    expect(activeLeaf(tree)).toMatchObject({ leaf: { id: 'm6' }, byTimestamp: null });
  });

  test('a recorded leaf comes first, until something is written after it', () => {
    const switched = [...branched, { type: 'last-prompt', lastPrompt: 'x', leafUuid: 'm4', sessionId: 's' }];
    expect(activeLeaf(treeOf(switched))).toMatchObject({ leaf: { id: 'm4' }, rule: 'recorded' });
    expect(activePath([...switched, user('m7', 'on', { parent: 'm4' })])).toEqual(['m1', 'm2', 'm3', 'm4', 'm7']);
    expect(activePath([...switched, user('m7', 'on', { parent: 'm6' })])).toEqual(['m1', 'm5', 'm6', 'm7']);
    expect(activePath([...branched, { type: 'last-prompt', leafUuid: 'gone' }])).toEqual(['m1', 'm5', 'm6']);
  });

  test('[SES-19] sidechain entries never win, and end no branch', () => {
    const side = assistant('s1', 'aside', { parent: 'm6', isSidechain: true, at: '2999-01-01' });
    const tree = treeOf([...branched, side]);
    expect(activeLeaf(tree)).toMatchObject({ leaf: { id: 'm6' }, byTimestamp: null });
    expect(tree.nodes.has('s1')).toBe(true);
  });

  test('late progress on an old branch does not win; on the active one the next prompt hangs from it', () => {
    const progress = (uuid: string, parent: string) => ({ type: 'progress', uuid, parentUuid: parent, data: {} });
    expect(activePath([...branched, progress('p1', 'm4')])).toEqual(['m1', 'm5', 'm6']);
    expect(activePath([...branched, progress('p1', 'm6'), progress('p2', 'p1')])).toEqual([
      'm1',
      'm5',
      'm6',
      'p1',
      'p2',
    ]);
  });

  test('a result added late to an old answer (a repair) takes nothing away', () => {
    const entries = [
      user('m1', 'go'),
      assistant('m2', [call('t1')], { parent: 'm1' }),
      assistant('m3', 'went on without the result', { parent: 'm2' }),
      result('r1', 't1', { parent: 'm2' }),
    ];
    expect(activePath(entries)).toEqual(['m1', 'm2', 'r1', 'm3']);
  });

  test('a compaction boundary without its summary does not hide the conversation', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', parentUuid: null, uuid: 'b1' };
    expect(activePath([...branched, boundary])).toEqual(['m1', 'm5', 'm6']);
    expect(activePath([...branched, boundary, user('m7', 'summary', { parent: 'b1' })])).toEqual(['b1', 'm7']);
  });
});

describe('[K14] [SES-10] chains pass through every kind of entry', () => {
  test.each(['progress', 'attachment', 'system', 'from-tomorrow'])('%s', (type) => {
    const entries = [
      user('m1', 'one'),
      { type, uuid: 'x1', parentUuid: 'm1' },
      assistant('m2', 'two', { parent: 'x1' }),
      { type: 'queue-operation', operation: 'dequeue' },
    ];
    expect(activePath(entries)).toEqual(['m1', 'x1', 'm2']);
  });

  test('[SES-30] any message may be a parent', () => {
    expect(activePath([user('m1', 'a'), user('m2', 'b', { parent: 'm1' }), user('m3', 'c', { parent: 'm2' })])).toEqual(
      ['m1', 'm2', 'm3'],
    );
  });
});

describe('parallel calls', () => {
  const head = [
    user('p', 'go'),
    assistant('a1', 'text', { parent: 'p', id: 'msg' }),
    assistant('a2', [call('t1')], { parent: 'a1', id: 'msg' }),
    assistant('a3', [call('t2')], { parent: 'a2', id: 'msg' }),
  ];
  const r1 = result('r1', 't1', { parent: 'a2' });
  const r2 = result('r2', 't2', { parent: 'a3' });

  test('the recorded session: a result beside the path belongs to it', () => {
    const entries = golden('multi.2.1.44.session');
    expect(activePath(entries)).toEqual(['U10', 'U2', 'U3', 'U4', 'U5', 'U6', 'U7', 'U8']);
    expect(treeOf(entries).leaves.map((node) => node.id)).toEqual(['U8']);
  });

  test.each([
    ['in order', [r1, r2, assistant('z', 'done', { parent: 'r2' })], ['r1', 'r2', 'z']],
    ['the first call finishing last', [r2, r1, assistant('z', 'done', { parent: 'r1' })], ['r2', 'r1', 'z']],
    ['chained results', [r1, { ...r2, parentUuid: 'r1' }, assistant('z', 'done', { parent: 'r2' })], ['r1', 'r2', 'z']],
    ['cut after the first result', [r1], ['r1']],
    ['cut before any result', [], []],
  ])('all blocks and results, %s', (_, tail, expected) => {
    expect(activePath([...head, ...tail])).toEqual(['p', 'a1', 'a2', 'a3', ...expected]);
  });

  test('an attachment that follows a result beside the path belongs to it', () => {
    const note = { type: 'attachment', uuid: 'n1', parentUuid: 'r1', attachment: { type: 'hook', content: 'note' } };
    const entries = [...head, r1, note, r2, assistant('z', 'done', { parent: 'r2' })];
    expect(activePath(entries)).toEqual(['p', 'a1', 'a2', 'a3', 'r1', 'n1', 'r2', 'z']);
  });

  test('going on from the middle of an answer leaves out what came after, now and later', () => {
    const all = [...head, r1, r2, assistant('z', 'done', { parent: 'r2' })];
    expect(uuids(pathTo(treeOf(all), 'a1'))).toEqual(['p', 'a1']);
    expect(uuids(pathTo(treeOf(all), 'a2'))).toEqual(['p', 'a1', 'a2', 'r1']);
    expect(activePath([...all, user('q', 'other', { parent: 'a1' })])).toEqual(['p', 'a1', 'q']);
    expect(activePath([...all, user('q', 'other', { parent: 'a2' })])).toEqual(['p', 'a1', 'a2', 'r1', 'q']);
  });

  test('the same message id in another turn is another answer', () => {
    const again = [user('q', 'next', { parent: 'r2' }), assistant('b1', [call('t3')], { parent: 'q', id: 'msg' })];
    expect(activePath([...head, r1, r2, ...again])).toEqual(['p', 'a1', 'a2', 'a3', 'r1', 'r2', 'q', 'b1']);
    const tree = treeOf([...head, r1, r2, ...again]);
    expect(uuids(pathTo(tree, 'r2'))).toEqual(['p', 'a1', 'a2', 'a3', 'r1', 'r2']);
  });
});

describe('[K15] damage', () => {
  const line = [
    user('m1', 'one'),
    assistant('m2', 'two', { parent: 'm1' }),
    user('m3', 'three', { parent: 'm2' }),
    assistant('m4', 'four', { parent: 'm3' }),
  ];
  const reparented = (uuid: string, parent: string | null) =>
    line.map((entry) => (entry.uuid === uuid ? { ...entry, parentUuid: parent } : entry));

  test('[S-12] duplicates: the first wins, and it is said', () => {
    const tree = treeOf([...line, ...line, { ...line[0], message: { role: 'user', content: 'other' } } as Entry]);
    expect(uuids(pathTo(tree, 'm4'))).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(tree.nodes.get('m1')?.entry).toBe(line[0]);
    expect(tree.findings).toHaveLength(5);
    expect(tree.findings[0]).toEqual({ kind: 'duplicate', line: 5, uuid: 'm1' });
  });

  test.each([
    ['the root points at the leaf', 'm1', 'm4'],
    ['the middle points forward', 'm2', 'm3'],
    ['self-parent at the root', 'm1', 'm1'],
    ['self-parent in the middle', 'm3', 'm3'],
    ['self-parent at the leaf', 'm4', 'm4'],
  ])('[S-13] [SES-17] cycle, %s: all messages kept, in order', (_, uuid, parent) => {
    const entries = reparented(uuid, parent);
    expect(activePath(entries)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(treeOf(entries).findings).toEqual([expect.objectContaining({ kind: 'cycle' })]);
  });

  test('[S-14] [SES-16] an orphan in the middle goes on from what stands before it', () => {
    const tree = treeOf(reparented('m3', 'lost'));
    expect(uuids(pathTo(tree, 'm4'))).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(tree.findings).toEqual([
      { kind: 'missing_parent', line: 3, uuid: 'm3', parentUuid: 'lost', linkedTo: 'm2' },
    ]);
  });

  test('[S-14] a lost line in the middle costs only itself', () => {
    expect(activePath(line.filter(({ uuid }) => uuid !== 'm2'))).toEqual(['m1', 'm3', 'm4']);
  });

  test('[S-14] an orphan at the root: said, and the rest stands', () => {
    const tree = treeOf(reparented('m1', 'lost'));
    expect(uuids(pathTo(tree, 'm4'))).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(tree.findings).toEqual([expect.objectContaining({ kind: 'missing_parent', uuid: 'm1', linkedTo: null })]);
  });

  test('an orphaned result goes back to its call', () => {
    const entries = [
      user('p', 'go'),
      assistant('a1', [call('t1')], { parent: 'p' }),
      user('late', 'queued', { parent: 'a1' }),
      { ...result('r1', 't1', { parent: 'a1' }), parentUuid: 'lost' },
    ];
    expect(treeOf(entries).nodes.get('r1')?.parent?.id).toBe('a1');
  });

  test('an orphan is not hung below itself when its children stand before it', () => {
    const entries = [assistant('m2', 'two', { parent: 'm1' }), user('m1', 'one', { parent: 'lost' })];
    expect(activePath(entries)).toEqual(['m1', 'm2']);
  });

  test('below a boundary whose summary was lost the older history comes back', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', parentUuid: null, uuid: 'b1' };
    const entries = [...line, boundary, assistant('m6', 'after', { parent: 'lost' })];
    expect(activePath(entries)).toEqual(['m1', 'm2', 'm3', 'm4', 'm6']);
  });

  test('damage of the file is part of the report, in order', () => {
    const damage = { line: 2, reason: 'not JSON', bytes: 9 };
    const tree = buildTree([{ damage }, ...loadedFrom([...line, ...line])]);
    expect(tree.findings[0]).toEqual({ kind: 'damage', ...damage });
  });

  test('[SES-32] messages without uuids are read one after the other', () => {
    const old = line.map(({ uuid, parentUuid, ...rest }) => rest as Entry);
    const tree = treeOf([{ type: 'summary', summary: 's', leafUuid: 'x' }, ...old]);
    expect(pathTo(tree, activeLeaf(tree).leaf?.id ?? '')).toEqual(old);
    expect(tree.findings).toEqual([{ kind: 'no_uuid', line: 2, count: 4 }]);
  });

  test('[S-18] a chain of 20,000 messages, all orphaned', { timeout: 10_000 }, () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => user(`u${i}`, 'x', { parent: `lost${i}` }));
    expect(activePath(chain)).toHaveLength(20_000);
  });
});

describe('recorded sessions', () => {
  test('resume-at: the new branch in the same file', () => {
    expect(activePath(golden('sequence-6at.2.1.44.session-S1'))).toEqual(['U1', 'U2', 'U3', 'U4', 'U5', 'U10', 'U11']);
    expect(treeOf(golden('sequence-6at.2.1.44.session-S1')).leaves.map((node) => node.id)).toEqual(['U9', 'U11']);
  });

  test('the same in the file of the later version', () => {
    const tree = treeOf(golden('sequence-6at.2.1.325.session-S1'));
    expect(activeLeaf(tree)).toMatchObject({ leaf: { id: 'U30' }, rule: 'recorded' });
    expect(leafByFileOrder(tree)?.id).toBe('U30');
  });

  test('compaction: the path starts at the boundary', () => {
    const path = activePath(golden('sequence-compact-resume.2.1.44.session-S1'));
    expect(path).toEqual(['U7', 'U8', 'U9', 'U10', 'U11', 'U12', 'U13', 'U14', 'U15']);
  });

  test('a subagent transcript is a conversation of its own', () => {
    expect(activePath(golden('sub.2.1.44.subagent-A1'))).toEqual(['U3', 'U10', 'U4', 'U5', 'U11']);
  });
});

test('whatever the links are, every path ends, holds no entry twice and contains its leaf', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(11), fc.option(fc.nat(13)), fc.nat(5)), { maxLength: 14 }), (links) => {
      const entries = links.map(([uuid, parent, kind]) => {
        const place = { parent: parent === null ? null : `n${parent}`, isSidechain: kind === 5 };
        if (kind === 0) return { type: 'progress', uuid: `n${uuid}`, parentUuid: place.parent };
        if (kind < 3) return assistant(`n${uuid}`, [call(`t${uuid % 4}`)], { ...place, id: `msg${uuid % 3}` });
        return kind === 3 ? result(`n${uuid}`, `t${uuid % 4}`, place) : user(`n${uuid}`, 'x', place);
      });
      const tree = treeOf(entries);
      for (const node of tree.nodes.values()) {
        const path = pathTo(tree, node.id);
        expect(new Set(path).size).toBe(path.length);
        expect(path).toContain(node.entry);
      }
      const hasMessage = [...tree.nodes.values()].some((node) => node.entry.type !== 'progress');
      if (hasMessage) expect(activeLeaf(tree).leaf).not.toBeNull();
    }),
    { numRuns: 500 },
  );
});
