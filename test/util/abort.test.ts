import { describe, expect, test } from 'vitest';
import { Aborted, abortReason, raceAbort } from '../../src/util/abort.ts';

const never = new Promise<never>(() => {});

describe('Aborted', () => {
  test('is an AbortError with its kind', () => {
    const error = new Aborted('timeout');
    expect(error).toBeInstanceOf(Error);
    expect({ name: error.name, kind: error.kind, message: error.message }).toEqual({
      name: 'AbortError',
      kind: 'timeout',
      message: 'Aborted: timeout',
    });
    expect(new Aborted('shutdown', 'SIGTERM').message).toBe('SIGTERM');
  });
});

describe('abortReason', () => {
  test('is the reason that was given', () => {
    const reason = new Aborted('superseded');
    expect(abortReason(AbortSignal.abort(reason))).toBe(reason);
  });

  test('counts a foreign reason as an interrupt and keeps its text', () => {
    expect(abortReason(AbortSignal.abort())).toMatchObject({ kind: 'interrupt' });
    expect(abortReason(AbortSignal.abort('stop it'))).toMatchObject({ kind: 'interrupt', message: 'stop it' });
  });

  test('survives a join of signals', () => {
    const turn = new AbortController();
    const joined = AbortSignal.any([new AbortController().signal, turn.signal]);
    turn.abort(new Aborted('shutdown'));
    expect(abortReason(joined).kind).toBe('shutdown');
  });
});

describe('raceAbort', () => {
  test('settles as the work does', async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(raceAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  test('rejects as soon as the signal aborts', async () => {
    const stop = new AbortController();
    const race = raceAbort(never, stop.signal);
    stop.abort(new Aborted('timeout'));
    await expect(race).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('rejects at once when the signal has aborted before', async () => {
    await expect(raceAbort(never, AbortSignal.abort(new Aborted('shutdown')))).rejects.toMatchObject({
      kind: 'shutdown',
    });
  });

  test('work that fails after the abort is nobody’s unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const failing = () => new Promise<never>((_, reject) => setImmediate(() => reject(new Error('late'))));
      const stop = new AbortController();
      const during = raceAbort(failing(), stop.signal);
      stop.abort(new Aborted('interrupt'));
      await expect(during).rejects.toMatchObject({ kind: 'interrupt' });
      await expect(raceAbort(failing(), stop.signal)).rejects.toMatchObject({ kind: 'interrupt' });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });

  test('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    for (let i = 0; i < 20; i++) await raceAbort(Promise.resolve(i), signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(listeners).toBe(0);
  });
});
