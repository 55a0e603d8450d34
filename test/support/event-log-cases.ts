import assert from 'node:assert/strict';
import type { NumberedLine } from '../../src/server/ports/event-log.ts';
import { newId, running, type StoreCases } from './server-store-runs.ts';

const line = (text: string, uuid = newId()) => ({ type: 'assistant', text, uuid });

/** The contract of an EventLog. */
export const eventLogCases: StoreCases = {
  'lines are numbered from 1 without gaps, and carry their number as last field': async (store) => {
    const { id, run } = await running(store);
    const { events } = store;
    assert.deepEqual(await events.bounds(id), { oldest: 1, newest: 0 });
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => events.append(run.activation, [line(text), line(`${text}2`)])),
    );
    const lines = await events.read(id, { after: 0, limit: 100 });
    assert.deepEqual(
      lines.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    for (const { seq, type, text } of lines) {
      assert.equal(type, 'assistant');
      assert.ok(text.endsWith(`,"seq":${seq}}`));
    }
    assert.deepEqual(await events.bounds(id), { oldest: 1, newest: 8 });
    assert.deepEqual(
      (await events.read(id, { after: 3, limit: 2 })).map(({ seq }) => seq),
      [4, 5],
    );
    assert.deepEqual(await events.read(id, { after: 8, limit: 2 }), []);
  },
  'a line whose uuid is known is not stored again': async (store) => {
    const { id, run, runs } = await running(store);
    const { events } = store;
    const one = line('one');
    await events.append(run.activation, [one]);
    run.end();
    const { activation } = await runs.next();
    await events.append(activation, [one, line('two'), { type: 'system' }, { type: 'system' }]);
    assert.deepEqual(
      (await events.read(id, { after: 0, limit: 10 })).map(({ type }) => type),
      [...['assistant', 'assistant', 'system', 'system']],
    );
    const stranger = newId();
    assert.deepEqual(await events.known(id, [one.uuid, stranger]), new Set([one.uuid]));
  },
  'a number that no line has yet is unknown, and says the newest': async (store) => {
    const { id, run } = await running(store);
    await store.events.append(run.activation, [line('one')]);
    const error = await store.events.read(id, { after: 2, limit: 1 }).catch((reason) => reason);
    assert.deepEqual([error.code, error.facts.newest], ['cursor_unknown', 1]);
  },
  'readers get new lines once and in order, and previews only while they listen': async (store) => {
    const { id, run } = await running(store);
    const { events } = store;
    const seen: number[] = [];
    const previews: unknown[] = [];
    const onLines = (lines: readonly NumberedLine[]) => void seen.push(...lines.map(({ seq }) => seq));
    await events.append(run.activation, [line('before')]);
    const stop = events.subscribe(id, { onLines, onPreview: (each) => void previews.push(each) });
    await events.append(run.activation, [line('a'), line('b')]);
    events.preview(run.activation, { type: 'stream_event' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    stop();
    stop();
    await events.append(run.activation, [line('after')]);
    events.preview(run.activation, { type: 'stream_event' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual([seen, previews.length], [[2, 3], 1]);
    assert.equal((await events.bounds(id)).newest, 4);
  },
  'lines and numbers outlive the process': async (store, lab) => {
    const { id, run } = await running(store);
    await store.events.append(run.activation, [line('a'), line('b')]);
    await store.engine.drain(0);
    await store.close();
    const again = await lab.open();
    assert.equal((await again.events.read(id, { after: 0, limit: 10 })).length, 2);
    assert.deepEqual(await again.events.bounds(id), { oldest: 1, newest: 2 });
    await again.close();
  },
};
