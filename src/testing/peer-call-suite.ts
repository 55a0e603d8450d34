import assert from 'node:assert/strict';
import { ControlError } from '../wire/errors.ts';
import type { PeerOptions } from '../wire/link/peer.ts';
import { type PairCheck, soon } from './linked-pair.ts';
import { assertCode, driven, failure, nextMessage, peerOn, requestId, response } from './peer-probe.ts';

/** A Peer that sends requests: every call settles, with its own answer or with the reason why there is none. */
export const callCases: Record<string, PairCheck> = {
  'a call resolves with the body of its response, either way': async ({ near, far }) => {
    const onRequest: PeerOptions['onRequest'] = ({ subtype, n }) => ({ subtype, twice: Number(n) * 2 });
    const [here, there] = [peerOn(near, { onRequest }), peerOn(far, { onRequest })];
    assert.deepEqual(await soon(here.call({ subtype: 'ask', n: 2 }), 'the answer'), { subtype: 'ask', twice: 4 });
    assert.deepEqual(await soon(there.call({ subtype: 'ask', n: 3 }), 'the answer'), { subtype: 'ask', twice: 6 });
  },

  'a response without a body resolves with undefined': async ({ near, far }) => {
    peerOn(far, { onRequest: () => undefined });
    assert.equal(await soon(peerOn(near).call({ subtype: 'ask' }), 'the answer'), undefined);
  },

  'an error response rejects with its text and its code': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const failed = failure(peer.call({ subtype: 'ask' }));
    const id = await requestId(reader);
    await far.write(response({ subtype: 'error', request_id: id, error: 'no such mode', error_code: 'invalid_mode' }));
    const error = await failed;
    assert.ok(error instanceof ControlError);
    assert.equal(error.message, 'no such mode');
    assert.equal(error.errorCode, 'invalid_mode');
  },

  '[P-5] a response to an unknown request is ignored': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const answer = peer.call({ subtype: 'ask' });
    const id = await requestId(reader);
    await far.write(response({ subtype: 'success', request_id: 'unknown', response: { behavior: 'allow' } }));
    await far.write({ type: 'control_response' });
    await far.write({ type: 'control_response', response: { subtype: 'success', request_id: 7 } });
    await far.write(response({ subtype: 'success', request_id: id, response: { behavior: 'deny' } }));
    assert.deepEqual(await soon(answer, 'the answer'), { behavior: 'deny' });
  },

  '[P-6] of two responses the first counts': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const answer = peer.call({ subtype: 'ask' });
    const id = await requestId(reader);
    await far.write(response({ subtype: 'success', request_id: id, response: { behavior: 'deny' } }));
    await far.write(response({ subtype: 'success', request_id: id, response: { behavior: 'allow' } }));
    assert.deepEqual(await soon(answer, 'the answer'), { behavior: 'deny' });
  },

  '[ARC-11] 10,000 calls at once have ids of their own, and each gets its own answer': async ({ near, far }) => {
    const ids = new Set<string>();
    peerOn(far, {
      onRequest: ({ n }, { requestId: id }) => {
        ids.add(id);
        return { n };
      },
    });
    const peer = peerOn(near);
    const calls = Array.from({ length: 10_000 }, (_, n) => peer.call({ subtype: 'ask', n }));
    const answers = (await soon(Promise.all(calls), 'all answers', 20_000)) as { n: number }[];
    assert.ok(
      answers.every(({ n }, i) => n === i),
      'an answer went to another call',
    );
    assert.equal(ids.size, 10_000);
  },

  '[K11, P-18] an aborted call rejects and is withdrawn': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const abort = new AbortController();
    const failed = failure(peer.call({ subtype: 'ask' }, { signal: abort.signal }));
    const id = await requestId(reader);
    const reason = new Error('interrupted');
    abort.abort(reason);
    assert.equal(await failed, reason);
    assert.deepEqual(await reader.line(), { type: 'control_cancel_request', request_id: id });
  },

  'a call with an aborted signal sends nothing': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const reason = new Error('too late');
    assert.equal(await failure(peer.call({ subtype: 'ask' }, { signal: AbortSignal.abort(reason) })), reason);
    await peer.send({ type: 'next' });
    assert.deepEqual(await reader.line(), { type: 'next' });
  },

  '[P-7] a response after the withdrawal is ignored': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const abort = new AbortController();
    const failed = failure(peer.call({ subtype: 'ask' }, { signal: abort.signal }));
    const id = await requestId(reader);
    abort.abort(new Error('interrupted'));
    await far.write(response({ subtype: 'success', request_id: id, response: { behavior: 'allow' } }));
    assert.match(String(await failed), /interrupted/);
    await far.write({ type: 'next' });
    assert.deepEqual(await nextMessage(peer), { type: 'next' });
  },

  '[CTL-18, ERR-07] a call without an answer times out and is withdrawn': async ({ near, far }) => {
    const { peer, reader } = driven(near, far);
    const error = await failure(peer.call({ subtype: 'initialize' }, { timeoutMs: 30 }));
    assertCode(error, 'control_timeout');
    assert.equal(error.message, 'Control request timeout: initialize');
    const id = await requestId(reader);
    assert.deepEqual(await reader.line(), { type: 'control_cancel_request', request_id: id });
  },

  'a call times out also while its line waits for a reader': async ({ near }) => {
    const peer = peerOn(near);
    for (let n = 0; n < 1000; n++) Promise.resolve(near.write({ text: 'x'.repeat(16_384) })).catch(() => {});
    assertCode(await failure(peer.call({ subtype: 'ask' }, { timeoutMs: 30 })), 'control_timeout');
  },
};
