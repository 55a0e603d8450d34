/**
 * A process of its own that writes to a session: `append` (its groups, without a lease), `hold` (takes the lease, says so,
 * waits for its end) or `take` (takes the lease, tries to be alone with a file, gives it back). It waits for a line on
 * stdin first, so that several can begin at the same time.
 */
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createJsonlStore } from '../../src/sessions/stores/jsonl-store.ts';
import { HeddleError } from '../../src/wire/errors.ts';

const [home = '', work = '', name = '', rounds = '1'] = process.argv.slice(2);
const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };
const store = createJsonlStore({ home, log: () => {} });
const holder = { pid: process.pid, host: hostname() };

await new Promise((resolve) => process.stdin.once('data', resolve));
if (work === 'append') await append();
if (work === 'hold') await hold();
if (work === 'take') for (let i = 0; i < Number(rounds); i++) await take();
process.stdin.destroy();

async function append(): Promise<void> {
  for (let i = 0; i < Number(rounds); i++) {
    const text = `${name} `.repeat(1 + ((i * 397) % 5000));
    const entry = (uuid: string) => ({ type: 'user', uuid, message: { role: 'user', content: text } });
    await store.append(key, [entry(`${name}.${i}.a`), entry(`${name}.${i}.b`)]);
  }
  console.log('done');
}

async function hold(): Promise<void> {
  try {
    await store.lease(key, holder);
    console.log('held');
    setInterval(() => {}, 1000);
    await new Promise(() => {});
  } catch (error) {
    console.log(HeddleError.isInstance(error) ? `${error.code} ${error.facts.pid}` : String(error));
  }
}

/** Two holders at the same time would meet at the file. */
async function take(): Promise<void> {
  const lease = await store.lease(key, holder).catch((error) => {
    if (!HeddleError.isInstance(error) || error.code !== 'session_busy') throw error;
    return null;
  });
  if (!lease) return;
  try {
    const alone = join(home, 'alone');
    closeSync(openSync(alone, 'wx'));
    await new Promise((resolve) => setImmediate(resolve));
    unlinkSync(alone);
    console.log('took');
  } catch {
    console.log('MET');
  }
  if (Number(rounds) > 1) await lease.release();
}
