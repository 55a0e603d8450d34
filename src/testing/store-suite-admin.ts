import assert from 'node:assert/strict';
import { foldSessionSummary } from '../sessions/stores/summary-of-entries.ts';
import { key, PROJECT, prompt, type StoreChecks, session, uuidsOf, written } from './store-suite-tools.ts';

/** Lists, removal, and finding a session by its id. */
export const adminChecks: StoreChecks = {
  'sessions are listed newest first, without their subagents': async (store) => {
    for (const n of [1, 2, 3]) await written(store, session(n), `first ${n}`);
    await written(store, session(1), 'again');
    await written(store, { ...session(2), agentId: 'a1' }, 'agent');
    const listed = await store.list(PROJECT);
    assert.deepEqual(
      listed.map((info) => info.sessionId),
      [1, 3, 2].map((n) => session(n).sessionId),
    );
  },

  'a removed session is gone, and may be begun anew': async (store) => {
    if (!store.remove) return;
    const agent = { ...key, agentId: 'a1' };
    await store.append(key, [prompt('a')]);
    await store.append(agent, [prompt('b')]);
    await store.append(session(2), [prompt('c')]);
    await store.remove(key);
    await store.remove(session(3));
    assert.equal(await store.exists(key), false);
    assert.equal(await store.exists(agent), false);
    assert.equal(await store.exists(session(2)), true);
    await store.append(key, [prompt('a')]);
    assert.deepEqual(await uuidsOf(store, key), ['a']);
  },

  'a list says when a session was last written to': async (store) => {
    const before = Date.now();
    await written(store, session(1), 'a');
    const [info] = await store.list(PROJECT);
    assert.ok(info && Math.abs(info.lastModified - before) < 60_000, `lastModified is ${info?.lastModified}`);
  },

  'a summary tells of all that was appended to a session, and is as new as the list': async (store) => {
    if (!store.listSessionSummaries) return;
    await written(store, session(1), 'first');
    await written(store, { ...session(1), agentId: 'a1' }, 'agent');
    await written(store, session(1), 'last');
    await store.append({ ...session(2), project: '/projects/spindle' }, [prompt('elsewhere')]);
    const [summary, ...others] = await store.listSessionSummaries(PROJECT);
    const [info] = await store.list(PROJECT);
    assert.equal(others.length, 0);
    assert.ok(summary && info && summary.mtime >= info.lastModified, `mtime is ${summary?.mtime}`);
    const told = foldSessionSummary(undefined, session(1), [prompt('first'), prompt('last')], { mtime: summary.mtime });
    assert.deepEqual(summary, told);
  },

  'the subagents of a session are told, and no others': async (store) => {
    if (!store.subagents) return;
    assert.deepEqual(await store.subagents(key), []);
    await store.append(key, [prompt('a')]);
    for (const agentId of ['b2', 'a1']) await store.append({ ...key, agentId }, [prompt(agentId)]);
    await store.append({ ...session(2), agentId: 'c3' }, [prompt('elsewhere')]);
    assert.deepEqual(await store.subagents(key), ['a1', 'b2']);
  },

  'a removed subagent leaves its session': async (store) => {
    if (!store.remove) return;
    const agent = { ...key, agentId: 'a1' };
    await store.append(key, [prompt('a')]);
    await store.append(agent, [prompt('b')]);
    await store.remove(agent);
    assert.equal(await store.exists(agent), false);
    assert.deepEqual(await uuidsOf(store, key), ['a']);
  },

  'a session is found by its id alone, whatever its project': async (store) => {
    if (!store.find) return;
    assert.equal(await store.find(key.sessionId), null);
    await store.append({ ...key, agentId: 'a1' }, [prompt('agent')]);
    assert.equal(await store.find(session(2).sessionId), null);
    await store.append(key, [prompt('a')]);
    const found = await store.find(key.sessionId);
    assert.ok(found, 'the session was not found');
    assert.equal(found.sessionId, key.sessionId);
    assert.deepEqual(await uuidsOf(store, found), ['a']);
    await store.append(found, [prompt('a'), prompt('b')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b']);
    assert.deepEqual(await uuidsOf(store, { ...found, agentId: 'a1' }), ['agent']);
  },

  'of several projects with one session id, the one written to last is found': async (store) => {
    if (!store.find) return;
    await written(store, key, 'here');
    await written(store, { ...key, project: '/projects/spindle' }, 'there');
    const found = await store.find(key.sessionId);
    assert.deepEqual(found && (await uuidsOf(store, found)), ['there']);
    assert.deepEqual(await uuidsOf(store, key), ['here']);
  },

  'nothing is found that is no session id': async (store) => {
    if (!store.find) return;
    for (const id of ['', '.', '..', '../x', 'a/b', 'no-such-session']) assert.equal(await store.find(id), null);
  },
};
