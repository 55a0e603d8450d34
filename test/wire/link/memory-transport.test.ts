import { describe, expect, test } from 'vitest';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';

describe('memoryPair', () => {
  test('hands lines over by reference', async () => {
    const { near, far } = memoryPair();
    const line = { type: 'user' };
    await near.write(line);
    near.endInput();
    for await (const read of far.readMessages()) expect(read).toBe(line);
  });

  test('a line costs no promise while there is room', () => {
    const { near } = memoryPair();
    expect(near.write({})).toBeUndefined();
  });

  test('a reader that leaves releases the writer, whose next line is rejected', async () => {
    const { near, far } = memoryPair();
    let waiting: Promise<void> | undefined;
    for (let n = 0; n < 1000 && !waiting; n++) waiting = near.write({ n });
    expect(waiting).toBeInstanceOf(Promise);
    for await (const line of far.readMessages()) if (line) break;
    await waiting;
    await expect(near.write({})).rejects.toMatchObject({ code: 'closed' });
  });

  test('settle tells how the work behind the other end ended; the first word counts', async () => {
    const { near, far } = memoryPair();
    near.settle({ code: 3, signal: null, stderr: 'broken' });
    await far.close();
    expect(await near.close()).toEqual({ code: 3, signal: null, stderr: 'broken' });
  });

  test('closing one end is the exit of the other', async () => {
    const { near, far } = memoryPair();
    await near.close();
    expect(await far.exit).toEqual({ code: 0, signal: null, stderr: '' });
  });

  test('close waits for the work behind it', async () => {
    const { near } = memoryPair();
    let ended = false;
    near.onClose(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      ended = true;
    });
    await near.close();
    expect(ended).toBe(true);
  });
});
