import { expect, test } from 'vitest';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { listStoreSessions } from '../../../src/sessions/stores/list-store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { user } from '../support.ts';

test('a store that keeps no summaries: few sessions are loaded at a time, and all are listed', async () => {
  const inner = createMemoryStore();
  const project = '/projects/loom';
  const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  for (let n = 0; n < 50; n++) {
    const key = { project, sessionId: idOf(n) };
    await inner.append(key, [user('a', `first ${n}`, { cwd: project }), user('b', `last ${n}`, { parent: 'a' })]);
  }
  let open = 0;
  let most = 0;
  const { listSessionSummaries: _, ...plain } = inner;
  const store: SessionStore = {
    ...plain,
    async *load(key) {
      most = Math.max(most, ++open);
      yield* inner.load(key);
      open--;
    },
  };
  const listed = await listStoreSessions(store, { project });
  expect(listed.map(({ sessionId }) => sessionId)).toEqual(Array.from({ length: 50 }, (_, n) => idOf(49 - n)));
  expect(listed[0]).toMatchObject({ firstPrompt: 'first 49', lastPrompt: 'last 49', cwd: project });
  expect(most).toBeLessThan(20);
});
