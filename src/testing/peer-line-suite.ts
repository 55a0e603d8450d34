import assert from 'node:assert/strict';
import { HeddleError } from '../wire/errors.ts';
import { LineReader, type PairCheck, soon } from './linked-pair.ts';
import {
  assertCode,
  deferred,
  driven,
  failure,
  messagesOf,
  nextMessage,
  peerOn,
  request,
  response,
  responseId,
} from './peer-probe.ts';

/** The lines that are not control, and the end of the connection. */
export const lineCases: Record<string, PairCheck> = {
  '[CTL-15, MSG-23, MSG-24] other lines are passed on in order, control lines are not': async ({ near, far }) => {
    const peer = peerOn(near, { onRequest: () => ({}) });
    for (let n = 0; n < 20; n++) {
      await far.write({ type: n % 2 === 0 ? 'assistant' : 'from_tomorrow', n });
      await far.write(request(`r${n}`, { subtype: 'ask' }));
      await far.write(response({ subtype: 'success', request_id: 'unknown' }));
      await far.write({ type: 'control_cancel_request', request_id: 'unknown' });
    }
    await soon(far.close(), 'close');
    assert.deepEqual(
      (await messagesOf(peer)).map(({ n }) => n),
      [...Array(20).keys()],
    );
  },

  '[MSG-26] keep_alive is swallowed': async ({ near, far }) => {
    const peer = peerOn(near);
    await far.write({ type: 'keep_alive' });
    await far.write({ type: 'next' });
    assert.deepEqual(await nextMessage(peer), { type: 'next' });
  },

  '[ARC-04] a slow consumer loses nothing, and does not hold up control': async ({ near, far }) => {
    const peer = peerOn(near, { onRequest: () => ({}) });
    const reader = new LineReader(far);
    for (let n = 0; n < 3000; n++) await far.write({ type: 'stream_event', n });
    await far.write(request('r', { subtype: 'interrupt' }));
    assert.equal(responseId(await reader.line()), 'r');
    await soon(far.close(), 'close');
    assert.equal((await messagesOf(peer)).length, 3000);
  },

  '[P-1] a line that cannot be read is reported, and the connection lives': async ({ near, far, sendBytes }) => {
    if (!sendBytes) return;
    const bad: Error[] = [];
    const peer = peerOn(near, { onBadLine: (error) => bad.push(error) });
    await sendBytes(Buffer.from('{"type":"half\n'));
    await far.write({ type: 'next' });
    assert.deepEqual(await nextMessage(peer), { type: 'next' });
    assert.deepEqual(
      bad.map((error) => HeddleError.isInstance(error) && error.code),
      ['json_decode'],
    );
  },

  'every pending call rejects when the far end closes, and so do later ones': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const failed = Promise.all([1, 2, 3].map((n) => failure(peer.call({ subtype: 'ask', n }))));
    await reader.lines(3);
    await soon(far.close(), 'close');
    for (const error of await failed) assertCode(error, 'closed');
    assertCode(await failure(peer.call({ subtype: 'ask' })), 'closed');
    await soon(peer.done, 'done');
  },

  '[ERR-04] pending calls tell the exit code and the last words of a far end that died': async (pair) => {
    if (!pair.crash) return;
    const { peer, reader } = driven(pair.near, pair.far);
    const failed = Promise.all([1, 2].map((n) => failure(peer.call({ subtype: 'ask', n }))));
    await reader.lines(2);
    await pair.crash(3, 'the loom is broken\n');
    for (const error of [...(await failed), await failure(peer.call({ subtype: 'ask' }))]) {
      assertCode(error, 'process_failed');
      assert.equal(error.message, 'Process failed with exit code 3\nthe loom is broken');
    }
  },

  'the messages end when the far end closes, after all that came': async ({ near, far }) => {
    const peer = peerOn(near);
    await far.write({ type: 'last' });
    await soon(far.close(), 'close');
    assert.deepEqual(await messagesOf(peer), [{ type: 'last' }]);
  },

  'handlers at work are aborted when the far end closes': async ({ near, far }) => {
    const { promise: aborted, resolve } = deferred();
    const { promise: begun, resolve: begin } = deferred();
    peerOn(near, {
      onRequest: (_, { signal }) => {
        begin();
        signal.addEventListener('abort', () => resolve());
        return aborted;
      },
    });
    await far.write(request('r', { subtype: 'ask' }));
    await soon(begun, 'the handler');
    await soon(far.close(), 'close');
    await soon(aborted, 'the abort');
  },

  'closing this side settles everything, too': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const failed = failure(peer.call({ subtype: 'ask' }));
    await reader.line();
    await soon(near.close(), 'close');
    assert.ok(HeddleError.isInstance(await failed));
    assert.deepEqual(await messagesOf(peer), []);
    await soon(peer.done, 'done');
  },
};
