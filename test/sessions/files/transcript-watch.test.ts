import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { tempDir, user } from '../support.ts';

const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function watched() {
  const store = createJsonlStore({ home: tempDir(), log: () => {} });
  const path = store.locate(key);
  mkdirSync(dirname(path), { recursive: true });
  const stop = new AbortController();
  stops.push(stop);
  const heard: unknown[] = [];
  const begin = () =>
    (async () => {
      const watch = store.watch?.(key, { signal: stop.signal }) ?? [];
      for await (const item of watch) heard.push('entry' in item ? item.entry.uuid : item.damage.reason);
    })();
  return { store, path, heard, begin, stop };
}

const until = (heard: unknown[], expected: unknown[]) => expect.poll(() => heard, { timeout: 5000 }).toEqual(expected);
const line = (uuid: string) => JSON.stringify(user(uuid, uuid));

test('a line counts when it is whole, also after a torn one', async () => {
  const { path, heard, begin, stop } = watched();
  writeFileSync(path, `${line('before')}\n{"type":"us`);
  const done = begin();
  appendFileSync(path, `\n${line('a')}`);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(heard).toEqual([]);
  appendFileSync(path, `\n${line('b')}\n`);
  await until(heard, ['a', 'b']);
  stop.abort();
  await done;
});

test('a file that is deleted and begun anew is heard again; more than a block, too', async () => {
  const { store, path, heard, begin } = watched();
  writeFileSync(path, `${line('before')}\n`);
  begin();
  rmSync(path);
  await new Promise((resolve) => setTimeout(resolve, 250));
  await store.append(key, [{ ...user('a', 'x'.repeat(3_000_000)) }, user('b', 'b')]);
  await until(heard, ['a', 'b']);
});
