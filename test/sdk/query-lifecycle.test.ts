import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from '../../src/host/create-engine.ts';
import type { Engine } from '../../src/host/engine/engine.ts';
import { inProcess } from '../../src/host/serve/in-process.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { query } from '../../src/sdk/query.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import { reply, scriptedModel, text } from '../../src/testing/index.ts';
import type { Connect } from '../../src/wire/run-config.ts';

let base: string;
let engine: Engine;
let opened: number;
let closed: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'heddle-query-'));
  engine = createEngine({
    cwd: base,
    home: join(base, 'home'),
    store: createMemoryStore(),
    model: scriptedModel(() => reply([text('hello')])),
  });
  opened = 0;
  closed = 0;
});
afterEach(async () => {
  await engine.close();
  rmSync(base, { recursive: true, force: true });
});

/** Counts the connections that are opened and closed. */
const transport: Connect = (launch) => {
  opened++;
  const inner = inProcess(engine)(launch);
  const close = inner.close.bind(inner);
  inner.close = () => {
    closed++;
    return close();
  };
  return inner;
};

async function collect(run: AsyncIterable<SDKMessage>): Promise<string[]> {
  const types: string[] = [];
  for await (const message of run) types.push(message.type);
  return types;
}

const say = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
});

test('[QRY-08] leaving before the first message ends the agent, too', async () => {
  const run = query({ prompt: 'hi', options: { transport } });
  await run.return(undefined);
  expect(opened).toBe(1);
  expect(closed).toBeGreaterThan(0);
});

test('[OPT-01] a signal that has fired already starts nothing', async () => {
  const abortController = new AbortController();
  abortController.abort();
  await expect(collect(query({ prompt: 'hi', options: { transport, abortController } }))).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  );
  expect(opened).toBe(0);
});

test('a query that is over no longer listens to its abortController', async () => {
  const abortController = new AbortController();
  for (let at = 0; at < 3; at++) await collect(query({ prompt: 'hi', options: { transport, abortController } }));
  expect(getEventListeners(abortController.signal, 'abort')).toHaveLength(0);
});

test('[QM-10] a source of messages that fails does not keep the query open', async () => {
  async function* failing(): AsyncGenerator<SDKUserMessage, void> {
    yield say('one');
    throw new Error('the chat is gone');
  }
  async function* patient(): AsyncGenerator<SDKUserMessage, void> {
    yield say('zero');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const run = query({ prompt: patient(), options: { transport } });
  const fed = run.streamInput(failing());
  await expect(fed).rejects.toThrow('the chat is gone');
  expect((await collect(run)).filter((type) => type === 'result').length).toBeGreaterThan(0);
});

test('more input after its end is refused, not lost', async () => {
  const run = query({ prompt: 'hi', options: { transport } });
  await collect(run);
  async function* late(): AsyncGenerator<SDKUserMessage, void> {
    yield say('late');
  }
  await expect(run.streamInput(late())).rejects.toMatchObject({ code: 'closed' });
});
