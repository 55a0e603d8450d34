import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Channel } from '../../src/util/channel.ts';

async function collect<T>(channel: Channel<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

describe('Channel', () => {
  test('[ARC-04] what was pushed before and while reading comes in order', async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.push(2);
    const read = collect(channel);
    for (const value of [3, 4, 5]) {
      await Promise.resolve();
      channel.push(value);
    }
    channel.end();
    expect(await read).toEqual([1, 2, 3, 4, 5]);
  });

  test('is a queue, however pushes, reads and drains are mixed', async () => {
    const steps = fc.array(fc.oneof(fc.constant('push'), fc.constant('take'), fc.constant('drain')), {
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const channel = new Channel<number>();
        const reader = channel[Symbol.asyncIterator]();
        const model: number[] = [];
        let next = 0;
        for (const step of list) {
          if (step === 'push') {
            channel.push(next);
            model.push(next++);
          } else if (step === 'drain') {
            expect(channel.drain()).toEqual(model.splice(0));
          } else if (model.length > 0) {
            expect(await reader.next()).toEqual({ value: model.shift(), done: false });
          }
          expect(channel.size).toBe(model.length);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('after end, what is queued is still read; later pushes are not taken', async () => {
    const channel = new Channel<string>();
    channel.push('kept');
    channel.end();
    channel.push('late');
    expect(channel.ended).toBe(true);
    expect(await collect(channel)).toEqual(['kept']);
    expect(await collect(channel)).toEqual([]);
  });

  test('[ARC-15] after fail, what is queued is read, then the error is thrown', async () => {
    const channel = new Channel<string>();
    channel.push('kept');
    channel.fail(new Error('broken'));
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: 'kept', done: false });
    await expect(reader.next()).rejects.toThrow('broken');
  });

  test('end and fail wake a reader that waits', async () => {
    const ended = new Channel<string>();
    const done = collect(ended);
    await Promise.resolve();
    ended.end();
    expect(await done).toEqual([]);
    const failed = new Channel<string>();
    const broken = collect(failed);
    await Promise.resolve();
    failed.fail(new Error('broken'));
    await expect(broken).rejects.toThrow('broken');
  });

  test('the first end counts: a later failure changes nothing', async () => {
    const channel = new Channel<string>();
    channel.end();
    channel.fail(new Error('too late'));
    expect(await collect(channel)).toEqual([]);
  });

  test('undefined, null and false are values like others', async () => {
    const channel = new Channel<unknown>();
    for (const value of [undefined, null, false, 0]) channel.push(value);
    channel.end();
    expect(await collect(channel)).toEqual([undefined, null, false, 0]);
  });

  test('leaving the loop keeps the rest for the next one', async () => {
    const channel = new Channel<number>();
    for (const value of [1, 2, 3]) channel.push(value);
    channel.end();
    for await (const value of channel) if (value === 1) break;
    expect(await collect(channel)).toEqual([2, 3]);
  });

  test('100,000 values cost no quadratic time', async () => {
    const channel = new Channel<number>();
    for (let i = 0; i < 100_000; i++) channel.push(i);
    channel.end();
    const started = performance.now();
    expect(await collect(channel)).toHaveLength(100_000);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('values that were taken are let go, also while the queue is never empty', async () => {
    const channel = new Channel<object>();
    const reader = channel[Symbol.asyncIterator]();
    const taken: WeakRef<object>[] = [];
    channel.push({ n: -1 });
    for (let n = 0; n < 1000; n++) {
      channel.push({ n, text: 'x'.repeat(100) });
      const { value } = await reader.next();
      if (value) taken.push(new WeakRef(value));
    }
    expect(channel.size).toBe(1);
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(taken.filter((value) => value.deref() !== undefined).length).toBeLessThan(10);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
