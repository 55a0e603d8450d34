import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeRows } from '../../../src/sessions/indexed/make-rows.ts';
import { SessionIndex } from '../../../src/sessions/indexed/session-index.ts';
import { readStoredSession } from '../../../src/sessions/stored/stored-session.ts';
import { sessionTree } from '../../../src/sessions/stored/tree-pages.ts';
import { activeLeaf } from '../../../src/sessions/tree/build-tree.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, call, golden, result, tempDir, user } from '../support.ts';

const ID = '00000000-0000-4000-8000-000000000001';

/** The tree of a file as `getSessionTree` makes it, with what was repaired. */
async function readWhole(path: string) {
  const { tree } = await readStoredSession({ sessionId: ID, path });
  return { ...sessionTree(tree, activeLeaf(tree).leaf?.id ?? null), findings: tree.findings };
}

function indexed({ session: { tree } }: SessionIndex) {
  return { ...sessionTree(tree, activeLeaf(tree).leaf?.id ?? null), findings: tree.findings };
}

const longText = fc.oneof(
  fc.constantFrom('short', '"quoted" and \\ slashed', 'é'.repeat(4000), '\\"'.repeat(9000), '\u0001\n\t'.repeat(700)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.repeat(400)),
  fc.nat(12_000).map((length) => 'x'.repeat(length)),
);

/** Entries whose parents are any earlier ones, or none that exists. */
const entries = fc
  .array(
    fc.record({
      kind: fc.constantFrom('prompt', 'answer', 'call', 'result', 'note', 'leaf'),
      parent: fc.nat(40),
      text: longText,
      isSidechain: fc.boolean(),
      isLost: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 25 },
  )
  .map((specs) =>
    specs.map(({ kind, parent, text, isSidechain, isLost }, at): Entry => {
      const up = at === 0 ? null : isLost === 0 ? 'nowhere' : `u${parent % at}`;
      const rest = {
        parent: up,
        at: '2026-01-01T00:00:00Z',
        ...(isSidechain && isLost === 1 && { isSidechain: true }),
      };
      if (kind === 'leaf') return { type: 'last-prompt', leafUuid: `u${parent % (at + 1)}` };
      if (kind === 'note')
        return { type: 'system', subtype: 'informational', content: text, uuid: `u${at}`, parentUuid: up };
      if (kind === 'call') return assistant(`u${at}`, [{ ...call(`c${parent % 5}`), input: { command: text } }], rest);
      if (kind === 'result') return { ...result(`u${at}`, `c${parent % 5}`, rest), toolUseResult: { stdout: text } };
      return kind === 'prompt' ? user(`u${at}`, text, rest) : assistant(`u${at}`, text, rest);
    }),
  );

const damage = fc.option(fc.record({ at: fc.nat(100_000), bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }) }), {
  freq: 3,
});

test('an index equals the tree of the whole file: damaged at any byte, cut at any byte, and after each growth', async () => {
  const path = join(tempDir(), `${ID}.jsonl`);
  await fc.assert(
    fc.asyncProperty(entries, damage, fc.array(fc.nat(100_000), { maxLength: 4 }), async (list, hurt, cuts) => {
      const bytes = Buffer.from(list.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      if (hurt && bytes.length > 0) bytes.set(hurt.bytes.subarray(0, 1), hurt.at % bytes.length);
      const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      writeFileSync(path, '');
      const index = new SessionIndex({ sessionId: ID, path });
      let written = 0;
      for (const end of ends) {
        appendFileSync(path, bytes.subarray(written, end));
        written = end;
        await index.refresh();
        expect(indexed(index)).toEqual(await readWhole(path));
        const { rows } = makeRows(index.session);
        expect(rows.map(({ id }) => id)).toEqual([...index.session.tree.nodes.keys()]);
      }
    }),
    { numRuns: 60 },
  );
});

test('recorded sessions have rows with parents, calls, results and costs', async () => {
  const path = join(tempDir(), `${ID}.jsonl`);
  writeFileSync(
    path,
    golden('multi.2.1.44.session')
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  );
  const index = new SessionIndex({ sessionId: ID, path });
  await index.refresh();
  const { rows, leaf } = makeRows(index.session);
  const called = rows.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'call').map(({ call: id }) => id));
  const answered = rows.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'result').map(({ call: id }) => id));
  expect(called.length).toBeGreaterThan(0);
  expect(answered.sort()).toEqual(called.sort());
  expect(rows.filter(({ parent }) => parent === undefined).length).toBeGreaterThan(0);
  expect(leaf).not.toBeNull();
});

test('an entry is read again as a whole, however long it is', async () => {
  const path = join(tempDir(), `${ID}.jsonl`);
  const long = { ...user('u0', 'é"\\'.repeat(40_000)), toolUseResult: { lines: ['a'.repeat(9000)] } };
  writeFileSync(path, `${JSON.stringify(user('a', 'first'))}\n${JSON.stringify(long)}\n`);
  const index = new SessionIndex({ sessionId: ID, path });
  await index.refresh();
  const node = index.session.tree.nodes.get('u0');
  expect(JSON.stringify(node?.entry).length).toBeLessThan(2000);
  expect(await index.whole(node?.entry as Entry)).toEqual(JSON.parse(JSON.stringify(long)));
});

test('a file that became shorter is read again from its beginning', async () => {
  const path = join(tempDir(), `${ID}.jsonl`);
  writeFileSync(path, `${JSON.stringify(user('a', 'first'))}\n${JSON.stringify(user('b', 'second'))}\n`);
  const index = new SessionIndex({ sessionId: ID, path });
  await index.refresh();
  expect(index.session.tree.nodes.size).toBe(2);
  truncateSync(path, 0);
  appendFileSync(path, `${JSON.stringify(user('c', 'third'))}\n`);
  await index.refresh();
  expect([...index.session.tree.nodes.keys()]).toEqual(['c']);
  expect(index.life).toBe(1);
});

test('a session that does not exist has no rows', async () => {
  const index = new SessionIndex({ sessionId: ID, path: join(tempDir(), 'nothing.jsonl') });
  await index.refresh();
  expect(makeRows(index.session)).toEqual({ rows: [], leaf: null, problems: [], summaries: [] });
});
