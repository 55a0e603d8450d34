import { describe, test } from 'vitest';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { storeCases } from '../../../src/testing/store-suite.ts';
import { tempDir } from '../support.ts';

const stores = {
  jsonl: async () => createJsonlStore({ home: tempDir(), log: () => {} }),
  'memory [B-102]': async () => createMemoryStore(),
};

describe.each(Object.entries(stores))('the %s store', (_, makeStore) => {
  test.each(storeCases())('$name', ({ run }) => run(makeStore));
});
