import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteLines } from '../../../src/sessions/files/byte-lines.ts';
import { recordsOfLine } from '../../../src/sessions/files/line-records.ts';
import { plainRecent, plainSession } from '../../../src/sessions/replay/plain-conversation.ts';
import type { Loaded } from '../../../src/sessions/store.ts';
import { activeLeaf, buildTree, pathTo } from '../../../src/sessions/tree/build-tree.ts';
import { lineage } from '../../../src/sessions/tree/checkpoint-entries.ts';
import { unpairedToolCalls } from '../../../src/sessions/tree/repair-calls.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { HUGE_FILES } from '../../support/damage/sizes.ts';
import { DAMAGE_CORPUS } from '../../support/damage-corpus.ts';
import { assistant, loadedFrom, result, user, uuids } from '../support.ts';

const KINDS = ['prompt', 'answer', 'call', 'parallel', 'error', 'attachment', 'progress', 'title', 'recorded'] as const;

/** A conversation without branches; parallel results hang from each other. */
function lineOf(kinds: readonly (typeof KINDS)[number][]): Entry[] {
  const entries: Entry[] = [];
  let leaf: string | null = null;
  const name = () => `u${entries.length}`;
  const add = (make: (uuid: string, parent: string | null) => Entry) => {
    const uuid = name();
    entries.push(make(uuid, leaf));
    leaf = uuid;
  };
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
  for (const kind of kinds) {
    const id = `t${entries.length}`;
    if (kind === 'prompt') add((uuid, parent) => user(uuid, `say ${uuid}`, { parent, at: 1 }));
    if (kind === 'answer') add((uuid, parent) => assistant(uuid, `answer ${uuid}`, { parent, isSidechain: false }));
    if (kind === 'call' || kind === 'parallel') add((uuid, parent) => assistant(uuid, [call(id)], { parent, id }));
    if (kind === 'parallel') add((uuid, parent) => assistant(uuid, [call(`${id}b`)], { parent, id }));
    if (kind === 'call' || kind === 'parallel') add((uuid, parent) => result(uuid, id, { parent }));
    if (kind === 'parallel') add((uuid, parent) => result(uuid, `${id}b`, { parent }));
    if (kind === 'error') add((uuid, parent) => assistant(uuid, 'no', { parent, isApiErrorMessage: true }));
    if (kind === 'attachment') add((uuid, parentUuid) => ({ type: 'attachment', attachment: {}, parentUuid, uuid }));
    if (kind === 'progress') add((uuid, parentUuid) => ({ type: 'progress', parentUuid, uuid }));
    if (kind === 'title') entries.push({ type: 'custom-title', customTitle: 'x' });
    if (kind === 'recorded') entries.push({ type: 'last-prompt', leafUuid: leaf ?? 'nobody' });
  }
  return entries;
}

/** What may have happened to an entry, at a place, with another entry at hand. */
const MISHAPS: Record<string, (loaded: Loaded[], at: number, other: Entry) => void> = {
  lost: (loaded, at) => loaded.splice(at, 1),
  twice: (loaded, at, other) => loaded.splice(at, 0, { entry: other, line: at + 1 }),
  moved: (loaded, at) => loaded.push(...loaded.splice(at, 1)),
  torn: (loaded, at) => loaded.splice(at, 0, { damage: { line: at + 1, reason: 'torn', bytes: 1 } }),
  branched: change(({ uuid }) => ({ parentUuid: uuid ?? null })),
  begun: change(() => ({ parentUuid: null })),
  orphaned: change(() => ({ parentUuid: 'nobody' })),
  unlinked: change(() => ({ parentUuid: undefined })),
  nameless: change(() => ({ uuid: undefined })),
  namesake: change(({ uuid }) => ({ uuid })),
  aside: change(() => ({ isSidechain: true })),
  compacted: change(({ uuid }) => ({ logicalParentUuid: uuid })),
  renamed: change(({ message }) => ({ message })),
  emptied: change(() => ({ message: null })),
  recorded: (loaded, at, { uuid }) =>
    loaded.splice(at, 0, { entry: { type: 'last-prompt', leafUuid: uuid }, line: at }),
};

function change(fields: (other: Entry) => object): (loaded: Loaded[], at: number, other: Entry) => void {
  return (loaded, at, other) => {
    const item = loaded[at];
    if (item && 'entry' in item) loaded[at] = { ...item, entry: { ...item.entry, ...fields(other) } };
  };
}

const mishap = fc.record({ what: fc.constantFrom(...Object.keys(MISHAPS)), at: fc.nat(), other: fc.nat() });

function sessionOf(
  entries: readonly Entry[],
  mishaps: readonly { what: string; at: number; other: number }[],
): Loaded[] {
  const loaded = loadedFrom(entries);
  for (const { what, at, other } of mishaps) {
    const taken = entries[other % entries.length];
    if (taken) MISHAPS[what]?.(loaded, at % (loaded.length + 1), taken);
  }
  return loaded;
}

/** What is taken for plain must be just what its tree says. */
function expectSame(loaded: readonly Loaded[], read = plainSession): boolean {
  const plain = read(loaded);
  if (plain === null) return false;
  const tree = buildTree(loaded);
  const { leaf, byTimestamp } = activeLeaf(tree);
  expect(tree.findings).toEqual([]);
  expect(tree.leaves).toEqual([leaf]);
  expect(byTimestamp).toBeNull();
  expect(leaf?.entry).toBe(plain.path.at(-1));
  const path = pathTo(tree, leaf?.id ?? '');
  expect(uuids(plain.path)).toEqual(uuids(path));
  expect(plain.path.every((entry, at) => entry === path[at])).toBe(true);
  expect(lineage(tree, leaf?.id ?? '')).toEqual(uuids(plain.path));
  expect(typeof path[0]?.logicalParentUuid).toBe(read === plainSession ? 'undefined' : 'string');
  if (plain.isSettled) expect(unpairedToolCalls(path)).toEqual([]);
  return true;
}

describe('a session without branches', () => {
  test('[K21] is known as one, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...KINDS), { maxLength: 30 }), (kinds) => {
        // An answer at the end: it outdoes a leaf that was recorded before.
        expect(expectSame(loadedFrom(lineOf(['prompt', ...kinds, 'answer'])))).toBe(true);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  test('[K15] nothing that happened to a file goes unnoticed: what passes for plain is what the tree says', () => {
    let plain = 0;
    const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(kinds, fc.array(mishap, { minLength: 1, maxLength: 3 }), (all, mishaps) => {
        if (expectSame(sessionOf(lineOf(all), mishaps))) plain++;
      }),
      { numRuns: 3000, seed: 5 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  test('[K15] so it is with what came since a compaction', () => {
    let plain = 0;
    const kinds = fc.array(fc.constantFrom(...KINDS), { maxLength: 12 });
    fc.assert(
      fc.property(kinds, fc.array(mishap, { maxLength: 2 }), (all, mishaps) => {
        const entries = sinceCompaction(lineOf(['prompt', ...all, 'answer']));
        const isPlain = expectSame(sessionOf(entries, mishaps), plainRecent);
        if (mishaps.length === 0) expect(isPlain).toBe(true);
        if (isPlain) plain++;
      }),
      { numRuns: 2000, seed: 5 },
    );
    expect(plain).toBeGreaterThan(100);
    expect(plainRecent(loadedFrom(lineOf(['prompt', 'answer'])))).toBeNull();
  });

  test('a call without a result leaves it unsettled', () => {
    const entries = lineOf(['prompt', 'call']);
    expect(plainSession(loadedFrom(entries))?.isSettled).toBe(true);
    expect(plainSession(loadedFrom(entries.slice(0, 2)))?.isSettled).toBe(false);
  });

  test('[K15] in damaged files', { timeout: 60_000 }, () => {
    for (const each of DAMAGE_CORPUS) if (!HUGE_FILES.includes(each)) expectSame(loadedOf(each.make()));
  });
});

/** With the boundary before it that the first entry hangs from. */
function sinceCompaction([first, ...rest]: readonly Entry[]): Entry[] {
  const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'boundary', parentUuid: null };
  const linked = first ? [{ ...first, parentUuid: 'boundary' }] : [];
  return [{ ...boundary, logicalParentUuid: 'earlier' }, ...linked, ...rest];
}

function loadedOf(file: Buffer): Loaded[] {
  const lines = new ByteLines();
  const loaded: Loaded[] = [];
  for (const line of lines.push(file)) for (const record of recordsOfLine(line)) loaded.push(record);
  for (const line of lines.end()) for (const record of recordsOfLine(line)) loaded.push(record);
  return loaded;
}
