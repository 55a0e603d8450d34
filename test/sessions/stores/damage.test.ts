import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { apiFaults } from '../../support/api-faults.ts';
import { cutFiles } from '../../support/damage/cuts.ts';
import { prompt, story } from '../../support/damage/story.ts';
import { DAMAGE_CORPUS, type DamageCase } from '../../support/damage-corpus.ts';
import { seededRandom } from '../../support/fuzz.ts';
import { goneOn, nextRequest, restore, wordFaults } from '../../support/restored.ts';
import { collect, tempDir } from '../support.ts';

/** Of the processor, not of the clock: the tests of other files run at the same time. */
const BOUND_MS = 10_000;

test('the corpus is as large as was promised, and its names tell its files apart', () => {
  expect(DAMAGE_CORPUS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(DAMAGE_CORPUS.map(({ name }) => name)).size).toBe(DAMAGE_CORPUS.length);
});

describe('[K15] a damaged session', () => {
  test.each(DAMAGE_CORPUS)('$name', { timeout: 120_000 }, expectRestored);
});

test('[S-9] cut at 200 places: every whole line comes back, and what follows is not glued to the rest', {
  timeout: 120_000,
}, async () => {
  const home = tempDir();
  for (const [at, cut] of cutFiles(200, seededRandom(9)).entries()) {
    expectRestored(cut);
    const store = createJsonlStore({ home, log: () => {} });
    const key = { project: '/w/loom', sessionId: `0da3a6ed-0000-4000-8000-${String(at).padStart(12, '0')}` };
    mkdirSync(dirname(store.locate(key)), { recursive: true });
    writeFileSync(store.locate(key), cut.make());
    await store.append(key, [prompt('next', null, 'onwards')]);
    const { entries } = await collect(store.load(key));
    expect(entries.at(-1), cut.name).toMatchObject({ uuid: 'next' });
    expect(entries.slice(0, -1), cut.name).toEqual(story().slice(0, entries.length - 1));
    await store.close?.();
  }
});

function expectRestored({ name, make, kept, left, said = [], interrupted = 0 }: DamageCase): void {
  const bytes = make();
  const started = process.cpuUsage();
  const found = restore(bytes);
  const request = nextRequest(found);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(BOUND_MS);

  expect(wordFaults(request, { kept, left }), name).toEqual([]);
  expect(apiFaults(request)).toEqual([]);
  expect([...new Set(found.tree.findings.map(({ kind }) => kind))].sort()).toEqual([...said].sort());
  expect(found.unpaired).toHaveLength(interrupted);

  const next = goneOn(found, 'onwards');
  const later = nextRequest(next);
  expect(wordFaults(later, { kept: [...kept, 're: onwards'], left })).toEqual([]);
  expect(apiFaults(later)).toEqual([]);
  expect(next.unpaired.filter(({ assistantUuid }) => assistantUuid !== null)).toEqual([]);
}
