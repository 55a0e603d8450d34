import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEmbeddedStore } from '../../src/server/embedded/embedded-store.ts';
import { afterTest } from '../support/after-test.ts';
import { serverStoreCases } from '../support/server-store-cases.ts';
import { message, newId, running, type StoreLab, WAITING_LIMIT } from '../support/server-store-runs.ts';

function lab(options: Partial<Parameters<typeof openEmbeddedStore>[0]> = {}): StoreLab {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-store-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const limits = { running: 20, waiting: WAITING_LIMIT };
  return { open: () => openEmbeddedStore({ folder, clock: Date, log: () => {}, limits, ...options }) };
}

test.each(Object.entries(serverStoreCases))('%s', async (_name, run) => {
  const own = lab();
  const store = await own.open();
  try {
    await run(store, own);
  } finally {
    await store.engine.drain(0);
    await store.close();
  }
});

test('lines that are older than a week are deleted when the log is opened, and their numbers are gone', async () => {
  const own = lab({ logLimits: { segmentBytes: 100, keepMs: -1 } });
  const store = await own.open();
  const { id, run } = await running(store);
  for (let no = 0; no < 5; no++)
    await store.events.append(run.activation, [{ type: 'assistant', uuid: newId(), no: 'x'.repeat(100) }]);
  await store.engine.drain(0);
  await store.close();
  const again = await own.open();
  const { oldest, newest } = await again.events.bounds(id);
  expect(newest).toBe(5);
  expect(oldest).toBeGreaterThan(1);
  const error = await again.events.read(id, { after: 0, limit: 10 }).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'cursor_gone', facts: { oldest, newest } });
  await again.close();
});

test('sessions that wait for a person take no place of others', async () => {
  const own = lab({ limits: { running: 1, waiting: WAITING_LIMIT } });
  const store = await own.open();
  const { run, runs } = await running(store);
  await store.engine.post(message(newId(), 'other'));
  expect(runs.all.length).toBe(1);
  await store.sessions.report(run.activation, 'requires_action');
  expect((await runs.next()).activation.sessionId).not.toBe(run.activation.sessionId);
  await store.engine.drain(0);
  await store.close();
});
