import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { query } from '../../../src/sdk/query.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { scriptedModel, toolUse } from '../../../src/testing/index.ts';
import { HeddleError } from '../../../src/wire/errors.ts';

/** A store whose lease another holder takes: from then on it refuses everything, as such stores do. */
function takenStore({ says }: { says: boolean }) {
  const store = createMemoryStore();
  const lost = new AbortController();
  let isTaken = false;
  let late = 0;
  const refuse = () => {
    late++;
    throw new HeddleError('session_taken', 'The session was taken over');
  };
  const wrapped: SessionStore = {
    ...store,
    append: async (...call) => (isTaken ? refuse() : store.append(...call)),
    mark: async (...call) => (isTaken ? refuse() : store.mark?.(...call)),
    async lease(...call) {
      const lease = await store.lease?.(...call);
      return { lost: lost.signal, release: async () => lease?.release() };
    },
  };
  const take = () => {
    isTaken = true;
    if (says) lost.abort();
  };
  return { store: wrapped, take, late: () => late };
}

test.each([{ says: true }, { says: false }])(
  '[S-28] who has lost its session ends its tools and the session (told: $says)',
  async ({ says }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'heddle-taken-'));
    const { store, take } = takenStore({ says });
    const command = says ? 'while :; do echo x >> lines; sleep 0.02; done' : 'echo x >> lines';
    const model = scriptedModel([toolUse('Bash', { command }), 'never asked for']);
    const engine = createEngine({ cwd, home: join(cwd, 'home'), env: { PATH: process.env.PATH }, model, store });
    onTestFinished(() => engine.close());
    const options = { transport: inProcess(engine), allowedTools: ['Bash'] };
    const results = [];
    for await (const message of query({ prompt: 'go', options })) {
      if (message.type === 'assistant') {
        if (says) await expect.poll(() => existsSync(join(cwd, 'lines')), { timeout: 15_000 }).toBe(true);
        take();
      }
      if (message.type === 'result') results.push(message);
    }
    expect(results).toMatchObject([{ is_error: true, error_code: 'session_taken' }]);
    const lines = says ? readFileSync(join(cwd, 'lines'), 'utf8') : '';
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(existsSync(join(cwd, 'lines')) ? readFileSync(join(cwd, 'lines'), 'utf8') : '').toBe(lines);
    expect(model.requests).toHaveLength(1);
  },
);
