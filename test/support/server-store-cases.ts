import assert from 'node:assert/strict';
import { eventLogCases } from './event-log-cases.ts';
import { message, newId, Runs, recordOf, running, type StoreCases, WAITING_LIMIT } from './server-store-runs.ts';

/** Rejects with this code. */
const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

const engineCases: StoreCases = {
  'messages are numbered from 1 in the order of their acknowledgements': async ({ engine, inbox }) => {
    const id = newId();
    const posted = [];
    for (const text of ['a', 'b', 'c']) posted.push(await engine.post(message(id, text)));
    assert.deepEqual(
      posted.map(({ seq, isNew, position }) => [seq, isNew, position]),
      [
        [1, true, 0],
        [2, true, 1],
        [3, true, 2],
      ],
    );
    assert.deepEqual(
      (await inbox.open(id)).map(({ seq, state }) => [seq, state]),
      [
        [1, 'waiting'],
        [2, 'waiting'],
        [3, 'waiting'],
      ],
    );
  },
  'the same uuid with the same content is posted once, also when it comes twice at once': async ({ engine, inbox }) => {
    const id = newId();
    const one = message(id, 'a');
    const posted = await Promise.all(Array.from({ length: 5 }, () => engine.post(one)));
    assert.deepEqual(
      posted.map(({ seq }) => seq),
      [1, 1, 1, 1, 1],
    );
    assert.equal(posted.filter(({ isNew }) => isNew).length, 1);
    assert.equal((await inbox.open(id)).length, 1);
  },
  'the same uuid with another content is a conflict': async ({ engine }) => {
    const one = message(newId(), 'a');
    await engine.post(one);
    await assert.rejects(engine.post(message(one.sessionId, 'b', one.uuid)), refused('uuid_conflict'));
  },
  'a full queue says its limit and when to try again': async ({ engine }) => {
    const id = newId();
    for (let no = 0; no < WAITING_LIMIT; no++) await engine.post(message(id, String(no)));
    const error = await engine.post(message(id, 'more')).catch((reason) => reason);
    assert.equal(error.code, 'queue_full');
    assert.equal(error.facts.limit, WAITING_LIMIT);
    assert.ok(error.facts.retryAfterMs > 0);
  },
  'one run per session at a time, and a message that comes meanwhile is not forgotten': async (store) => {
    const { id, uuid, run, runs } = await running(store);
    await store.engine.post(message(id, 'two'));
    await store.engine.wake(id);
    assert.equal(runs.all.length, 1);
    await store.inbox.take(run.activation, uuid);
    await store.inbox.settle(run.activation, [uuid], 'answered');
    run.end();
    const next = await runs.next();
    assert.equal(next.activation.sessionId, id);
    assert.equal(next.activation.previous, run.activation.epoch);
    assert.notEqual(next.activation.epoch, run.activation.epoch);
  },
  'a run that fails is followed by another one': async (store) => {
    const { run, runs } = await running(store);
    run.fail(new Error('a fault of its own'));
    assert.equal((await runs.next()).activation.sessionId, run.activation.sessionId);
  },
  'what was acknowledged is run after the process has ended': async (store, lab) => {
    const id = newId();
    await store.sessions.create(recordOf(id));
    await store.engine.post(message(id, 'one'));
    await store.close();
    const again = await lab.open();
    const run = await (await Runs.of(again)).next();
    assert.equal(run.activation.sessionId, id);
    assert.equal((await again.inbox.open(id)).length, 1);
    await again.engine.drain(0);
    await again.close();
  },
  'a drain takes nothing new, gives runs their time, and then their session to others': async (store) => {
    const { id, run } = await running(store);
    const drained = store.engine.drain(50);
    await assert.rejects(store.engine.post(message(id, 'late')), refused('draining'));
    assert.equal(run.activation.drain.aborted, true);
    assert.equal(run.activation.lost.aborted, false);
    await drained;
    assert.equal(run.activation.lost.aborted, true);
  },
};

const inboxCases: StoreCases = {
  'a message is taken once, withdrawn only while it waits, and gone from the open ones when it is settled': async (
    store,
  ) => {
    const { id, uuid, run } = await running(store);
    const { inbox, engine } = store;
    const other = message(id, 'two');
    await engine.post(other);
    assert.deepEqual([await inbox.take(run.activation, uuid), await inbox.take(run.activation, uuid)], [true, false]);
    assert.equal(await inbox.cancel(id, uuid), 'taken');
    assert.equal(await inbox.cancel(id, other.uuid), 'cancelled');
    assert.equal(await inbox.take(run.activation, other.uuid), false);
    assert.equal(await inbox.cancel(id, newId()), 'unknown');
    await inbox.settle(run.activation, [uuid, newId()], 'answered');
    assert.deepEqual(await inbox.open(id), []);
    assert.equal((await inbox.get(id, uuid))?.state, 'answered');
  },
  'a post is heard of': async ({ engine, inbox }) => {
    const id = newId();
    let heard = 0;
    const stop = inbox.onPosted(id, () => heard++);
    await engine.post(message(id, 'a'));
    stop();
    await engine.post(message(id, 'b'));
    assert.equal(heard, 1);
  },
};

const turnCases: StoreCases = {
  'a turn begins, is continued by another run, and ends together with its messages': async (store) => {
    const { id, uuid, run, runs } = await running(store);
    const { turns, inbox } = store;
    assert.deepEqual(pick(await turns.begin(run.activation, [uuid])), [1, 'running', 1]);
    run.end();
    const { activation } = await runs.next();
    assert.deepEqual(pick(await turns.begin(activation, [])), [1, 'running', 2]);
    assert.equal((await turns.unfinished(id))?.no, 1);
    const result = { type: 'result', uuid: newId() };
    const ended = await turns.end(activation, { result, state: 'ended', messages: [uuid] });
    assert.deepEqual([...pick(ended), ended.messages, ended.result], [1, 'ended', 2, [uuid], result]);
    assert.deepEqual([await turns.unfinished(id), await inbox.open(id)], [null, []]);
    await turns.end(activation, { result, state: 'abandoned', messages: [] });
    assert.deepEqual((await turns.list(id, { limit: 10 })).map(pick), [
      [2, 'abandoned', 1],
      [1, 'ended', 2],
    ]);
    assert.deepEqual(
      (await turns.list(id, { limit: 10, before: 2 })).map(({ no }) => no),
      [1],
    );
    assert.deepEqual([(await turns.get(id, 2))?.no, await turns.get(id, 3)], [2, null]);
  },
};

const pick = ({ no, state, attempts }: { no: number; state: string; attempts: number }) => [no, state, attempts];

const holdingCases: StoreCases = {
  'a run that has lost its session writes nothing more': async (store) => {
    const { id, uuid, run, runs } = await running(store);
    run.end();
    const { activation } = await runs.next();
    const old = run.activation;
    const { events, inbox, turns, questions, sessions } = store;
    const writes = [
      () => events.append(old, [{ type: 'assistant', uuid: newId() }]),
      () => inbox.take(old, uuid),
      () => inbox.settle(old, [uuid], 'answered'),
      () => turns.begin(old, [uuid]),
      () => turns.end(old, { result: { type: 'result' }, state: 'ended', messages: [uuid] }),
      () => questions.ask(old, { toolUseId: 't1', request: {} }),
      () => sessions.report(old, 'running'),
    ];
    for (const write of writes) await assert.rejects(write(), refused('session_taken'));
    assert.equal((await events.bounds(id)).newest, 0);
    assert.deepEqual(await turns.list(id, { limit: 10 }), []);
    assert.deepEqual(await questions.list({ sessionId: id }), []);
    assert.equal(await inbox.take(activation, uuid), true);
  },
};

const questionCases: StoreCases = {
  'the first answer counts': async (store) => {
    const { run } = await running(store);
    const { questions } = store;
    const { id } = await questions.ask(run.activation, { toolUseId: 't1', request: { subtype: 'can_use_tool' } });
    const answers = await Promise.allSettled([
      questions.answer(id, { n: 1 }, 'a'),
      questions.answer(id, { n: 2 }, 'b'),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const late = await questions.answer(id, { n: 3 }, 'c').catch((error) => error);
    assert.equal(late.code, 'already_answered');
    assert.ok(['a', 'b'].includes(late.facts.by));
    await assert.rejects(questions.answer(newId(), {}, 'a'), refused('unknown_question'));
    const other = await questions.ask(run.activation, { toolUseId: 't2', request: {} });
    await questions.withdraw(run.activation, other.id);
    await assert.rejects(questions.answer(other.id, {}, 'a'), refused('question_withdrawn'));
  },
  'a call that is asked again after its run has died finds its question, until the answer was used': async (store) => {
    const { id, run, runs } = await running(store);
    const { questions } = store;
    const asked = { toolUseId: 't1', request: { subtype: 'can_use_tool' } };
    const first = await questions.ask(run.activation, asked);
    run.end();
    const { activation } = await runs.next();
    assert.equal((await questions.ask(activation, asked)).id, first.id);
    const heard: string[] = [];
    const stop = questions.onChange(id, ({ state }) => heard.push(state));
    await questions.answer(first.id, { behavior: 'allow' }, 'a');
    const again = await questions.ask(activation, asked);
    assert.deepEqual([again.id, again.state, again.answer], [first.id, 'answered', { behavior: 'allow' }]);
    await questions.used(activation, first.id);
    assert.notEqual((await questions.ask(activation, asked)).id, first.id);
    stop();
    assert.deepEqual(heard, ['answered', 'open']);
    assert.equal((await questions.list({ sessionId: id, state: 'open' })).length, 1);
  },
};

const sessionCases: StoreCases = {
  'sessions are listed in pages, the newest first, and one of another tenant is none': async ({ sessions }) => {
    const ids = [];
    for (let at = 1; at <= 5; at++) {
      const record = recordOf(newId(), { createdAt: at, title: `Title ${at}`, tag: at % 2 ? 'odd' : null });
      await sessions.create(record);
      ids.unshift(record.id);
    }
    const strange = recordOf(newId(), { tenant: 'other' });
    await sessions.create(strange);
    await assert.rejects(sessions.create(strange), refused('session_exists'));
    assert.equal(await sessions.get('local', strange.id), null);
    assert.equal((await sessions.find(strange.id))?.tenant, 'other');
    const first = await sessions.list({ tenant: 'local', limit: 2 });
    const second = await sessions.list({ tenant: 'local', limit: 10, ...(first.cursor && { cursor: first.cursor }) });
    assert.deepEqual(
      [...first.records, ...second.records].map(({ id }) => id),
      ids,
    );
    assert.equal(second.cursor, null);
    assert.equal((await sessions.list({ tenant: 'local', limit: 10, tag: 'odd' })).records.length, 3);
    assert.equal((await sessions.list({ tenant: 'local', limit: 10, query: 'title 4' })).records.length, 1);
    const [newest = ''] = ids;
    assert.equal((await sessions.change(newest, { title: 'changed' }))?.title, 'changed');
    await sessions.remove(newest);
    assert.equal(await sessions.find(newest), null);
    assert.equal(await sessions.change(newest, { title: 'x' }), null);
  },
};

const tokenCases: StoreCases = {
  'a token is known by its secret only, to its tenant only, until it expires or is revoked': async ({ tokens }) => {
    const about = { tenant: 'local', name: 'a', scopes: ['sessions:read' as const], sessionId: null, expiresAt: null };
    const { info, secret } = await tokens.create(about);
    assert.match(secret, /^hdl_[0-9a-f]+_[\w-]{40,}$/);
    assert.equal((await tokens.verify(secret))?.id, info.id);
    assert.equal(await tokens.verify(`${secret}x`), null);
    const expired = await tokens.create({ ...about, expiresAt: 1 });
    assert.equal(await tokens.verify(expired.secret), null);
    assert.ok(!JSON.stringify(await tokens.list('local')).includes(secret));
    assert.deepEqual(await tokens.list('other'), []);
    assert.equal(await tokens.revoke('other', info.id), false);
    assert.equal(await tokens.revoke('local', info.id), true);
    assert.equal(await tokens.verify(secret), null);
  },
};

const courierCases: StoreCases = {
  'a control line waits for the run of its session, and its answer finds the connection': async ({ courier }) => {
    const id = newId();
    const got: unknown[] = [];
    assert.equal(await courier.send(id, { from: 'c1', line: { n: 0 } }, 10), false);
    const sent = courier.send(id, { from: 'c1', line: { n: 1 } }, 5000);
    const stop = courier.receive(id, ({ line }) => void got.push(line));
    assert.equal(await sent, true);
    await courier.send(id, { from: 'c1', line: { n: 2 } }, 0);
    stop();
    assert.deepEqual(got, [{ n: 1 }, { n: 2 }]);
    const answers: unknown[] = [];
    const leave = courier.connect('c1', (line) => void answers.push(line));
    assert.equal(courier.isConnected('c1'), true);
    courier.reply('c1', { n: 3 });
    courier.reply('nobody', { n: 4 });
    leave();
    assert.deepEqual([answers, courier.isConnected('c1')], [[{ n: 3 }], false]);
  },
};

/** What every store of a server holds, whatever it is made of: each case gets an empty one. */
export const serverStoreCases: StoreCases = {
  ...engineCases,
  ...inboxCases,
  ...turnCases,
  ...holdingCases,
  ...eventLogCases,
  ...questionCases,
  ...sessionCases,
  ...tokenCases,
  ...courierCases,
};
