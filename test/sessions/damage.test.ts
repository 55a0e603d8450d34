import { describe, expect, test } from 'vitest';
import { apiFaults } from '../support/api-faults.ts';
import { DAMAGE_CORPUS } from '../support/damage-corpus.ts';
import { goneOn, nextRequest, restore, wordFaults } from '../support/restored.ts';

const BOUND_MS = 10_000;

test('the corpus is as large as was promised, and its names tell its files apart', () => {
  expect(DAMAGE_CORPUS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(DAMAGE_CORPUS.map(({ name }) => name)).size).toBe(DAMAGE_CORPUS.length);
});

describe('[K15] a damaged session', () => {
  test.each(DAMAGE_CORPUS)('$name', { timeout: 2 * BOUND_MS }, ({ make, kept, left, said = [], interrupted = 0 }) => {
    const bytes = make();
    const started = performance.now();
    const found = restore(bytes);
    const request = nextRequest(found);
    expect(performance.now() - started).toBeLessThan(BOUND_MS);

    expect(wordFaults(request, { kept, left })).toEqual([]);
    expect(apiFaults(request)).toEqual([]);
    expect([...new Set(found.tree.findings.map(({ kind }) => kind))].sort()).toEqual([...said].sort());
    expect(found.unpaired).toHaveLength(interrupted);

    const next = goneOn(found, 'onwards');
    const later = nextRequest(next);
    expect(wordFaults(later, { kept: [...kept, 're: onwards'], left })).toEqual([]);
    expect(apiFaults(later)).toEqual([]);
    expect(next.unpaired.filter(({ assistantUuid }) => assistantUuid !== null)).toEqual([]);
  });
});
