import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import type { EngineOptions } from '../../../src/host/engine/engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { HeddleError, type Options, ProcessError, query, RunError, type SDKMessage } from '../../../src/sdk/index.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'heddle-in-process-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function run(engineOptions: Partial<EngineOptions>, options: Options = {}): Promise<SDKMessage[]> {
  const engine = createEngine({ cwd, ...engineOptions });
  const messages: SDKMessage[] = [];
  try {
    const all = { ...options, transport: inProcess(engine) };
    for await (const message of query({ prompt: 'hello', options: all })) messages.push(message);
    return messages;
  } finally {
    await engine.close();
  }
}

const caught = (run: Promise<unknown>): Promise<HeddleError> =>
  run.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );

describe('an engine without an environment', () => {
  const store = createMemoryStore();
  const resultOf = (messages: SDKMessage[]) => {
    const last = messages.at(-1);
    return last?.type === 'result' && last.subtype === 'success' ? last.result : '';
  };

  test.each([undefined, 'openai/gpt-5'])('says how to hand it over, before it names a variable (%s)', async (model) => {
    const said = resultOf(await run({ store }, { ...(model && { model }) }));
    expect(said.split('\n')[0]).toContain('createEngine({ env: process.env })');
    expect(said.split('\n')[1]).toMatch(/set (ANTHROPIC|OPENAI)_API_KEY/);
  });

  test.each([
    ['an environment of the engine', { env: { PATH: '/bin' } }, {}],
    ['one of the run', {}, { env: { PATH: '/bin' } }],
  ])('where there is %s, nothing of it is said', async (_, engineOptions, options) => {
    const said = resultOf(await run({ store, ...engineOptions }, options));
    expect(said).toMatch(/^No model credentials were found: set ANTHROPIC_API_KEY/);
    expect(said).not.toContain('createEngine');
  });

  test('says how to hand over a home', async () => {
    const error = await caught(run({ model: scriptedModel(['hi']) }));
    expect(error.message).toMatch(/no place for sessions: .*createEngine\(\{ env: process\.env \}\)/);
  });
});

describe('a run in this process that cannot start', () => {
  test('is no failed process: the error says why, and has what lay behind it', async () => {
    const store = createMemoryStore();
    const error = await caught(run({ store, model: scriptedModel(['hi']) }, { settings: '{ broken' }));
    expect(error).toBeInstanceOf(RunError);
    expect(error).not.toBeInstanceOf(ProcessError);
    expect(error.code).toBe('run_failed');
    expect(error.message).toMatch(/^The run could not start: Settings are not valid JSON/);
    expect(error.message).not.toMatch(/process|exit code/i);
    expect(error.facts).toMatchObject({ reason: 'invalid_settings' });
    expect(HeddleError.isInstance(error.cause) && error.cause.code).toBe('invalid_settings');
  });

  test('also for what was asked of it meanwhile', async () => {
    const engine = createEngine({ cwd, store: createMemoryStore(), model: scriptedModel(['hi']) });
    const running = query({ prompt: 'hello', options: { settings: '{ broken', transport: inProcess(engine) } });
    const messages = caught(running.next());
    expect(await caught(running.setModel('opus'))).toMatchObject({ name: 'RunError', code: 'run_failed' });
    expect(await messages).toMatchObject({ name: 'RunError' });
    await engine.close();
  });
});
