import assert from 'node:assert/strict';
import type { LeaseHolder, SessionStore } from '../sessions/store.ts';
import { HeddleError } from '../wire/errors.ts';
import { key, prompt, type StoreChecks, session, uuidsOf } from './store-suite-tools.ts';

/** One writer at a time; only for stores that have leases. */
export const leaseChecks: StoreChecks = {
  'a lease is refused while another one is held, and says by whom': async (store) => {
    if (!store.lease) return;
    const lease = await store.lease(key, holder);
    const error = await refusal(store);
    assert.equal(error.facts.pid, holder.pid);
    assert.equal(error.facts.host, holder.host);
    assert.ok(!Number.isNaN(Date.parse(String(error.facts.since))), `since is ${error.facts.since}`);
    await lease.release();
  },

  'a lease that was given back can be taken again': async (store) => {
    if (!store.lease) return;
    for (let i = 0; i < 3; i++) await (await store.lease(key, holder)).release();
    const lease = await store.lease(key, holder);
    await refusal(store);
    await lease.release();
  },

  'a lease that is given back twice leaves the next holder alone': async (store) => {
    if (!store.lease) return;
    const first = await store.lease(key, holder);
    await first.release();
    const second = await store.lease(key, holder);
    await first.release();
    await refusal(store);
    await second.release();
  },

  'of many who want a lease at once, one gets it': async (store) => {
    const { lease } = store;
    if (!lease) return;
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lease.call(store, key, holder)));
    const won = tries.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    assert.equal(won.length, 1);
    await won[0]?.release();
  },

  'a lease that is held is not lost, and neither is one that was given back': async (store) => {
    if (!store.lease) return;
    const lease = await store.lease(key, holder);
    await store.append(key, [prompt('a')]);
    assert.equal(lease.lost?.aborted ?? false, false);
    await lease.release();
    assert.equal(lease.lost?.aborted ?? false, false);
  },

  'only calls that were asked for and not started have certainly not been started': async (store) => {
    if (!store.mark || !store.neverStarted) return;
    const lease = await store.lease?.(key, holder);
    await store.append(key, [prompt('a')]);
    await store.mark(key, ['call-1', 'call-2', 'call-3'], 'asked');
    await store.mark(key, ['call-2'], 'started');
    assert.deepEqual(await store.neverStarted(key, ['call-1', 'call-2', 'call-3']), ['call-1', 'call-3']);
    assert.deepEqual(await store.neverStarted(session(2), ['call-2']), []);
    await store.mark(key, ['call-2'], 'asked'); // another answer, with the same id
    assert.deepEqual(await store.neverStarted(key, ['call-2']), ['call-2']);
    await lease?.release();
  },

  'leases of different sessions do not meet': async (store) => {
    if (!store.lease) return;
    const leases = [await store.lease(key, holder), await store.lease(session(2), holder)];
    for (const lease of leases) await lease.release();
  },

  'a lease makes no session, and does not stand in the way of its holder': async (store) => {
    if (!store.lease) return;
    const lease = await store.lease(key, holder);
    assert.equal(await store.exists(key), false);
    assert.deepEqual(await store.list(key.project), []);
    await store.append(key, [prompt('a')]);
    assert.deepEqual(await uuidsOf(store, key), ['a']);
    await lease.release();
    assert.deepEqual(await uuidsOf(store, key), ['a']);
  },
};

/** On another machine, because stores may check whether a process of this one still lives. */
const holder: LeaseHolder = { pid: 4711, host: 'loom.example' };

async function refusal(store: SessionStore): Promise<HeddleError> {
  const error = await store.lease?.(key, { pid: 4712, host: 'spindle.example' }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(HeddleError.isInstance(error), `not refused with a HeddleError: ${error}`);
  assert.equal(error.code, 'session_busy');
  return error;
}
