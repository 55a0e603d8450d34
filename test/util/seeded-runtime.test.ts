import { describe, expect, it } from 'vitest';
import { seededRuntime } from '../../src/util/seeded-runtime.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('seededRuntime', () => {
  it('gives the same ids for the same seed, all different and of version 4', () => {
    const take = (seed: string) => Array.from({ length: 1000 }, seededRuntime(seed).ids.uuid);
    const ids = take('a');
    expect(take('a')).toEqual(ids);
    expect(new Set([...ids, ...take('b')]).size).toBe(2000);
    expect(ids.filter((id) => !UUID_V4.test(id))).toEqual([]);
  });

  it('tells a time that goes on by one millisecond each time it is read, however long a wait takes', async () => {
    const { clock } = seededRuntime('a');
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
    const before = performance.now();
    await clock.sleep(20, new AbortController().signal);
    expect(performance.now() - before).toBeGreaterThan(15);
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 1);
  });
});
