import assert from 'node:assert/strict';
import type { JsonObject } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import { LineReader, type PairCheck, pause, soon } from './linked-pair.ts';
import { deferred, peerOn, request, responseId } from './peer-probe.ts';

/** A Peer that answers requests: one response for each request, whatever the handler does. */
export const serveCases: Record<string, PairCheck> = {
  '[P-3] each request gets exactly one response, with its id': async ({ near, far }) => {
    const reader = new LineReader(far);
    peerOn(near, { onRequest: ({ n }) => pause(Number(n) % 3) });
    const ids = Array.from({ length: 50 }, (_, n) => `r${n}`);
    for (const [n, id] of ids.entries()) await far.write(request(id, { subtype: 'ask', n }));
    const answered = (await reader.lines(50)).map(responseId);
    assert.deepEqual(answered.toSorted(), ids.toSorted());
    await pause(20);
    await near.write({ type: 'end' });
    assert.deepEqual(await reader.line(), { type: 'end' });
  },

  'handlers begin in the order of the requests': async ({ near, far }) => {
    const begun: unknown[] = [];
    const { promise: all, resolve } = deferred();
    peerOn(near, {
      onRequest: async ({ n }) => {
        if (begun.push(n) === 20) resolve();
        await pause(1);
      },
    });
    for (let n = 0; n < 20; n++) await far.write(request(`r${n}`, { subtype: 'ask', n }));
    await soon(all, 'all handlers');
    assert.deepEqual(begun, [...Array(20).keys()]);
  },

  '[CTL-17] a handler that throws answers with an error, and the connection lives': async ({ near, far }) => {
    const reader = new LineReader(far);
    const thrown = [new Error('broken'), 'a text', new ControlError('refused', 'invalid_mode')];
    peerOn(near, {
      onRequest: ({ n }) => {
        if (Number(n) < thrown.length) throw thrown[Number(n)];
        return { fine: true };
      },
    });
    const answers: unknown[] = [];
    for (let n = 0; n <= thrown.length; n++) {
      await far.write(request('r', { subtype: 'ask', n }));
      answers.push((await reader.line()).response);
    }
    assert.deepEqual(answers, [
      { subtype: 'error', request_id: 'r', error: 'broken' },
      { subtype: 'error', request_id: 'r', error: 'a text' },
      { subtype: 'error', request_id: 'r', error: 'refused', error_code: 'invalid_mode' },
      { subtype: 'success', request_id: 'r', response: { fine: true } },
    ]);
  },

  'an answer that cannot be sent still is exactly one response': async ({ near, far }) => {
    const reader = new LineReader(far);
    peerOn(near, { onRequest: ({ subtype }) => (subtype === 'odd' ? { count: 1n } : {}) });
    await far.write(request('r1', { subtype: 'odd' }));
    assert.equal(responseId(await reader.line()), 'r1');
    await far.write(request('r2', { subtype: 'even' }));
    assert.equal(responseId(await reader.line()), 'r2');
  },

  '[P-4] a malformed control request gets an error response': async ({ near, far }) => {
    const reader = new LineReader(far);
    peerOn(near, { onRequest: () => ({}) });
    const malformed: JsonObject[] = [
      { request_id: 'a' },
      { request_id: 'b', request: null },
      { request_id: 'c', request: 'interrupt' },
      { request_id: 'd', request: {} },
      { request_id: 'e', request: { subtype: 7 } },
      { request_id: 9, request: { subtype: 'interrupt' } },
      {},
    ];
    for (const body of malformed) {
      await far.write({ type: 'control_request', ...body });
      const { response: answer } = await reader.line();
      assert.equal((answer as JsonObject).subtype, 'error');
      assert.equal((answer as JsonObject).request_id, typeof body.request_id === 'string' ? body.request_id : '');
    }
    await far.write(request('good', { subtype: 'interrupt' }));
    assert.equal(responseId(await reader.line()), 'good');
  },

  'a request that is left open gets no response from here': async ({ near, far }) => {
    const reader = new LineReader(far);
    peerOn(near, {
      onRequest: ({ subtype }, { leaveOpen }) => {
        if (subtype === 'theirs') leaveOpen();
        return {};
      },
    });
    await far.write(request('left', { subtype: 'theirs' }));
    await far.write(request('answered', { subtype: 'ours' }));
    assert.equal(responseId(await reader.line()), 'answered');
  },

  'what the other side lists as unanswered is served again, unless it is being served': async ({ near, far }) => {
    const reader = new LineReader(far);
    const { promise: held, resolve: release } = deferred();
    const served: string[] = [];
    const peer = peerOn(near, {
      onRequest: async (_, { requestId }) => {
        served.push(requestId);
        if (requestId === 'held') await held;
        return {};
      },
    });
    await far.write(request('held', { subtype: 'slow' }));
    await far.write(request('done', { subtype: 'quick' }));
    assert.equal(responseId(await reader.line()), 'done');
    peer.serveAgain([request('held', { subtype: 'slow' }), request('lost', { subtype: 'quick' }), 'odd', null]);
    assert.equal(responseId(await reader.line()), 'lost');
    release();
    assert.equal(responseId(await reader.line()), 'held');
    assert.deepEqual(served, ['held', 'done', 'lost']);
  },

  'an effect after the response is seen after it': async ({ near, far }) => {
    const reader = new LineReader(far);
    const peer = peerOn(near, {
      onRequest: (_, { afterResponse }) => {
        afterResponse(() => void peer.send({ type: 'effect' }));
        return {};
      },
    });
    await far.write(request('r', { subtype: 'interrupt' }));
    const [first, second] = await reader.lines(2);
    assert.deepEqual([first?.type, second?.type], ['control_response', 'effect']);
  },

  '[CTL-16, MSG-25] a withdrawn request aborts its handler and gets no late answer': async ({ near, far }) => {
    const reader = new LineReader(far);
    let aborted: Promise<void> | undefined;
    const { promise: begun, resolve: begin } = deferred();
    peerOn(near, {
      onRequest: ({ subtype }, { signal }) => {
        if (subtype !== 'slow') return {};
        aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        begin();
        return aborted.then(() => ({ behavior: 'allow' }));
      },
    });
    await far.write(request('r1', { subtype: 'slow' }));
    await soon(begun, 'the handler');
    await far.write({ type: 'control_cancel_request', request_id: 'unknown' });
    await far.write({ type: 'control_cancel_request', request_id: 'r1' });
    await soon(aborted ?? Promise.reject(new Error('not begun')), 'the abort');
    await far.write(request('r2', { subtype: 'quick' }));
    assert.equal(responseId(await reader.line()), 'r2');
  },
};
