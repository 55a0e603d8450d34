import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { stdioTransport } from '../../../src/host/serve/stdio.ts';
import { peerCases } from '../../../src/testing/index.ts';
import { ControlTimeoutError } from '../../../src/wire/errors.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import { Peer, type PeerOptions } from '../../../src/wire/link/peer.ts';
import type { Transport } from '../../../src/wire/link/transport.ts';
import { pairs } from '../pairs.ts';

describe.each(Object.entries(pairs))('the Peer contract holds over %s', (_, makePair) => {
  test.each(peerCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run(makePair));
});

afterEach(() => {
  vi.useRealTimers();
});

function peerOn(transport: Transport, options: Partial<PeerOptions> = {}): Peer {
  let ids = 0;
  return new Peer(transport, { newId: () => `r${++ids}`, onRequest: () => ({}), ...options });
}

describe('Peer', () => {
  test('[CTL-18] a time-out is exact: not a moment before, and the timer is gone after an answer', async () => {
    vi.useFakeTimers();
    const { near, far } = memoryPair();
    const peer = peerOn(near);
    const call = peer.call({ subtype: 'initialize' }, { timeoutMs: 60_000 });
    const settled = vi.fn();
    call.then(settled, settled);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledWith(expect.any(ControlTimeoutError));
    peerOn(far);
    await peer.call({ subtype: 'initialize' }, { timeoutMs: 60_000 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('without a time-out a call waits as long as the connection lives', async () => {
    vi.useFakeTimers();
    const { near, far } = memoryPair();
    const call = peerOn(near).call({ subtype: 'can_use_tool' });
    const settled = vi.fn();
    call.then(settled, settled);
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000);
    expect(settled).not.toHaveBeenCalled();
    peerOn(far, { onRequest: () => ({ behavior: 'deny' }) });
    expect(await call).toEqual({ behavior: 'deny' });
  });

  test('onMessage takes the lines one after the other; control is not among them', async () => {
    const { near, far } = memoryPair();
    const seen: string[] = [];
    const peer = peerOn(near, {
      onMessage: async ({ n }) => {
        seen.push(`begin ${n}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        seen.push(`end ${n}`);
      },
    });
    await far.write({ type: 'user', n: 1 });
    await far.write({ type: 'keep_alive' });
    await far.write({ type: 'user', n: 2 });
    await far.close();
    await peer.done;
    expect(seen).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  test('an onMessage that throws closes the connection with its error', async () => {
    const { near, far } = memoryPair();
    const peer = peerOn(near, {
      onMessage: () => {
        throw new Error('cannot take it');
      },
    });
    const call = peer.call({ subtype: 'ask' });
    await far.write({ type: 'user' });
    await expect(call).rejects.toThrow('cannot take it');
    await peer.done;
  });

  test('a request that cannot be written as JSON rejects at once', async () => {
    const { near } = await (pairs.stdio as NonNullable<(typeof pairs)[string]>)();
    await expect(peerOn(near).call({ subtype: 'ask', n: 1n })).rejects.toThrow(/BigInt/);
    await near.close();
  });

  test('a call after the end of the input rejects as closed, though the far end goes on', async () => {
    vi.useFakeTimers();
    const { near } = memoryPair();
    const peer = peerOn(near);
    near.endInput();
    const failed = expect(peer.call({ subtype: 'ask' })).rejects.toMatchObject({ code: 'closed' });
    await vi.advanceTimersByTimeAsync(2000);
    await failed;
  });

  test('a far end that closes its output and never tells its exit does not hold up the calls', async () => {
    vi.useFakeTimers();
    const { near, far } = memoryPair();
    const peer = peerOn(near);
    const failed = expect(peer.call({ subtype: 'ask' })).rejects.toMatchObject({ code: 'closed' });
    far.endInput();
    await vi.advanceTimersByTimeAsync(2000);
    await failed;
    await peer.done;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a broken channel ends the messages with its error and rejects the calls', async () => {
    const input = new PassThrough();
    const peer = peerOn(stdioTransport(input, new PassThrough()));
    input.destroy(new Error('cable cut'));
    await expect(peer.call({ subtype: 'ask' })).rejects.toThrow('cable cut');
    await expect(peer.messages[Symbol.asyncIterator]().next()).rejects.toThrow('cable cut');
    await peer.done;
  });
});
