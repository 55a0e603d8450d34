import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createJsonlStore, type JsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import type { Logger } from '../../../src/util/runtime.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { tempDir } from '../support.ts';

const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };
const holder = { pid: process.pid, host: hostname() };
/** No system gives its processes such numbers. */
const NO_PID = 2 ** 30;
const MINUTE = 60_000;

let home: string;
let store: JsonlStore;
let path: string;
const warnings: string[] = [];
const log: Logger = (level, message) => {
  if (level === 'warn') warnings.push(message);
};

beforeEach(() => {
  home = tempDir();
  store = createJsonlStore({ home, log });
  path = join(home, 'locks', `${key.sessionId}.json`);
  warnings.length = 0;
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close?.();
});

/** A lease that somebody else has left, last touched so many milliseconds ago. */
function leave(record: Record<string, unknown> | string, { ago = 0 } = {}): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof record === 'string' ? record : JSON.stringify(record));
  touched(Date.now() - ago);
}

function touched(at: number): void {
  utimesSync(path, at / 1000, at / 1000);
}

const other = (fields: Record<string, unknown>) => {
  return { ...holder, since: '2026-01-01T00:00:00.000Z', token: 'abc', ...fields };
};

describe('a lease', () => {
  test('[S-23] is a private file, and gone when it is given back', async () => {
    const lease = await store.lease(key, holder);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    await lease.release();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('[S-23] is busy in the same process, too, and says what can be done', async () => {
    await store.lease(key, holder);
    const again = createJsonlStore({ home, log }).lease(key, holder);
    await expect(again).rejects.toMatchObject({
      code: 'session_busy',
      facts: { ...holder, since: expect.any(String) },
    });
    await expect(again).rejects.toThrow(/process \d+ on .*, since .*\. Wait .*fork .*end that process/);
  });

  test('goes with its store', async () => {
    await store.lease(key, holder);
    await store.close?.();
    expect(existsSync(path)).toBe(false);
  });

  test('needs an id that can be a file name', async () => {
    await expect(store.lease({ ...key, sessionId: '../x' }, holder)).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('what was left behind', () => {
  test('[S-23] by a process that is gone is taken over', async () => {
    leave(other({ pid: NO_PID }));
    const lease = await store.lease(key, holder);
    expect(readdirSync(dirname(path))).toEqual([`${key.sessionId}.json`]);
    await lease.release();
  });

  test.runIf(existsSync('/proc/self/stat'))('by a process whose number another one has now is taken over', async () => {
    const own = await store.lease(key, holder);
    const record = JSON.parse(readFileSync(path, 'utf8'));
    await own.release();
    expect(record.started).toMatch(/^\d+$/);
    leave({ ...record, token: 'x', started: '1' });
    await store.lease(key, holder);
  });

  test('by a living process is not', async () => {
    leave(other({ pid: process.ppid }), { ago: 60 * MINUTE });
    await expect(store.lease(key, holder)).rejects.toMatchObject({
      code: 'session_busy',
      facts: { pid: process.ppid },
    });
  });

  test.each([
    ['another host', { host: 'spindle.example', pid: NO_PID }],
    ['another container of the same name', { space: 'other', started: '1', pid: NO_PID }],
  ])('on %s counts by its heartbeat', async (_, fields) => {
    leave(other(fields), { ago: MINUTE });
    await expect(store.lease(key, holder)).rejects.toMatchObject({ code: 'session_busy' });
    touched(Date.now() - 3 * MINUTE);
    await store.lease(key, holder);
  });

  test.each(['', '{"pid":', '{"pid":"x"}', '[]'])('without a record (%j) counts by its age', async (text) => {
    leave(text);
    await expect(store.lease(key, holder)).rejects.toMatchObject({ code: 'session_busy' });
    touched(Date.now() - MINUTE);
    await store.lease(key, holder);
  });

  test('by who died while taking over is taken over as well', async () => {
    leave(other({ pid: NO_PID }));
    writeFileSync(`${path}.abc`, JSON.stringify(other({ pid: NO_PID, token: 'def' })));
    await store.lease(key, holder);
    expect(readdirSync(dirname(path))).toEqual([`${key.sessionId}.json`]);
  });

  test('is not taken over by two: who looks again finds another lease', async () => {
    leave(other({ pid: NO_PID }));
    const stores = Array.from({ length: 8 }, () => createJsonlStore({ home, log }));
    const tries = await Promise.allSettled(stores.map((each) => each.lease(key, holder)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of stores) await each.close?.();
  });
});

describe('the heartbeat', () => {
  test('touches the file every 30 s, with one timer for all leases, and ends with the last', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const leases = [await store.lease(key, holder), await store.lease({ ...key, sessionId: sessionId(2) }, holder)];
    expect(vi.getTimerCount()).toBe(1);
    touched(Date.now() - 10 * MINUTE);
    vi.advanceTimersByTime(30_000);
    expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(MINUTE);
    for (const lease of leases) await lease.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('says when the lease was taken over, and leaves the new one alone', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lease = await store.lease(key, holder);
    leave(other({ pid: process.ppid, token: 'theirs' }), { ago: MINUTE });
    vi.advanceTimersByTime(30_000);
    expect(warnings).toEqual([expect.stringContaining('taken over')]);
    expect(Date.now() - statSync(path).mtimeMs).toBeGreaterThan(MINUTE - 1000);
    await lease.release();
    expect(readFileSync(path, 'utf8')).toContain('theirs');
  });
});

describe('[S-28] who has lost its lease', () => {
  const entry = { type: 'user', uuid: 'a', message: { role: 'user', content: 'late' } };
  const beat = () => vi.advanceTimersByTime(30_000);

  test('hears of it, and writes nothing more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lease = await store.lease(key, holder);
    await store.append(key, [{ ...entry, uuid: 'early' }]);
    expect(lease.lost?.aborted).toBe(false);
    leave(other({ pid: process.ppid, token: 'theirs' }));
    beat();
    expect(lease.lost?.aborted).toBe(true);
    const before = readFileSync(store.locate(key), 'utf8');
    await expect(store.append(key, [entry])).rejects.toMatchObject({ code: 'session_taken' });
    await expect(store.mark?.(key, ['call'], 'started')).rejects.toMatchObject({ code: 'session_taken' });
    await store.append({ ...key, sessionId: sessionId(2) }, [entry]);
    expect(readFileSync(store.locate(key), 'utf8')).toBe(before);
  });

  test('looks before it writes when it was frozen, and may have the lease again later', async () => {
    await store.lease(key, holder);
    leave(other({ pid: NO_PID, token: 'theirs' }));
    await store.append(key, [entry]);
    const later = performance.now() + 2 * MINUTE;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    await expect(store.append(key, [{ ...entry, uuid: 'b' }])).rejects.toMatchObject({ code: 'session_taken' });
    await store.lease(key, holder);
    await store.append(key, [{ ...entry, uuid: 'c' }]);
    expect(readFileSync(store.locate(key), 'utf8')).not.toContain('"uuid":"b"');
  });
});

describe('[S-27] marks of calls', () => {
  test('are there for who comes after a death, and gone after an end in good order', async () => {
    const lease = await store.lease(key, holder);
    await store.mark?.(key, ['one', 'two', 'three'], 'asked');
    await store.mark?.(key, ['two'], 'started');
    const marks = join(dirname(path), `${key.sessionId}.calls`);
    expect(statSync(marks).mode & 0o777).toBe(0o600);
    writeFileSync(marks, `${readFileSync(marks, 'utf8')}["started","thr`); // torn
    const next = createJsonlStore({ home, log });
    expect(await next.neverStarted?.(key, ['one', 'two', 'three', 'four'])).toEqual(['one', 'three']);
    await lease.release();
    expect(readdirSync(dirname(path))).toEqual([]);
    expect(await next.neverStarted?.(key, ['one'])).toEqual([]);
  });
});

describe('where no lease can be made', () => {
  test('[S-21] a file in the way of the folder is said as what it is', async () => {
    writeFileSync(join(home, 'locks'), '');
    await expect(store.lease(key, holder)).rejects.toMatchObject({ code: 'storage_failed' });
  });

  test('[S-21] a home that cannot be written to is said as what it is', async () => {
    chmodSync(home, 0o500);
    await asOrdinaryUser(home, async () => {
      const failure = { code: 'storage_failed', facts: { code: 'EACCES' } };
      await expect(store.lease(key, holder)).rejects.toMatchObject(failure);
    });
    chmodSync(home, 0o700);
  });

  test('[S-20] a directory in the place of the lease is said, not removed', async () => {
    mkdirSync(path, { recursive: true });
    await expect(store.lease(key, holder)).rejects.toMatchObject({ code: 'storage_failed' });
    expect(statSync(path).isDirectory()).toBe(true);
  });
});

function sessionId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}
