import { describe, expect, test } from 'vitest';
import { createModels, type SessionKeys } from '../../../src/host/engine/engine-models.ts';
import type { Env } from '../../../src/host/engine/environment.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { Model, ModelEvent } from '../../../src/model/model.ts';
import { startFakeApi } from '../../../src/testing/fake-api.ts';
import { sampleRequest } from '../../../src/testing/model-suite.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { testRuntime } from '../../agent/support.ts';

const KEY = { ANTHROPIC_API_KEY: 'sk-test' };

async function eventsOf(model: Model): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream(sampleRequest(), new AbortController().signal))) events.push(event);
  return events;
}

describe('which model answers', () => {
  test('a model of the engine answers whatever is named', async () => {
    const model = scriptedModel([]);
    const models = createModels({ runtime: testRuntime(), model });
    expect(await models.select('haiku', {})).toMatchObject({ id: 'claude-haiku-4-5-20251001' });
    expect((await models.select('haiku', {})).model).toBe(model);
    expect((await models.select('offline', KEY)).model).toBe(model);
  });

  test('[P4] the offline model needs no credentials', async () => {
    const selected = await createModels({ runtime: testRuntime() }).select('offline', {});
    expect(selected).toMatchObject({ id: 'offline', model: { provider: 'offline' } });
  });

  test('[P4, M-4] without credentials the session opens, and its turn fails with the choices there are', async () => {
    const { model } = await createModels({ runtime: testRuntime() }).select(undefined, {});
    const events = await eventsOf(model);
    expect(events).toMatchObject([{ type: 'failure', failure: { class: 'authentication' } }]);
    expect(JSON.stringify(events)).toMatch(/ANTHROPIC_API_KEY.*--model offline/);
  });

  test('[P4] a name that no model can have is an error that names it', async () => {
    const models = createModels({ runtime: testRuntime() });
    await expect(models.select('replay:file', KEY)).rejects.toMatchObject({
      code: 'not_supported',
      message: expect.stringContaining('replay:file'),
    });
  });
});

describe('connections', () => {
  test('are shared by sessions whose environment agrees, and by no others', async () => {
    const models = createModels({ runtime: testRuntime() });
    const of = async (env: Record<string, string>) => (await models.select('sonnet', env)).model;
    const first = await of(KEY);
    expect(await of({ ...KEY, EDITOR: 'vi' })).toBe(first);
    for (const other of [
      { ANTHROPIC_API_KEY: 'sk-other' },
      { ...KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
      { ...KEY, ANTHROPIC_CUSTOM_HEADERS: 'x: y' },
      { ...KEY, API_TIMEOUT_MS: '5' },
      { ...KEY, CLAUDE_CODE_MAX_RETRIES: '0' },
      { ...KEY, https_proxy: 'http://127.0.0.1:2' },
    ]) {
      expect(await of(other), JSON.stringify(other)).not.toBe(first);
    }
    models.close();
  });

  test('keys that change all the time do not leave a connection each behind', async () => {
    const api = await startFakeApi(() => 'hello');
    const models = createModels({ runtime: testRuntime() });
    const ask = async (name: string) => {
      const env = { ANTHROPIC_API_KEY: name, ANTHROPIC_BASE_URL: api.url };
      expect((await eventsOf((await models.select('sonnet', env)).model)).at(-1)).toMatchObject({ type: 'event' });
      return api.requests.at(-1)?.connection;
    };
    const first = await ask('key-0');
    expect(await ask('key-0')).toBe(first);
    for (let at = 1; at <= 15; at++) await ask(`key-${at}`);
    expect(await ask('key-0')).toBe(first);
    for (let at = 16; at <= 32; at++) await ask(`key-${at}`);
    expect(await ask('key-0')).not.toBe(first);
    models.close();
    await api.close();
  });

  test('models with different ids share one connection', async () => {
    const models = createModels({ runtime: testRuntime() });
    const [sonnet, opus] = [await models.select('sonnet', KEY), await models.select('opus', KEY)];
    expect(sonnet.model).toBe(opus.model);
    models.close();
  });
});

test('[FLD-02, B-044] the source of the key: the environment, a helper, a stored key', async () => {
  const models = createModels({ runtime: testRuntime() });
  const source = async (name: string, env: Env, keys?: SessionKeys) => (await models.select(name, env, keys)).keySource;
  const key = (id: string) => ({ id, credential: async () => ({ apiKey: id }) });
  const asked: string[] = [];
  const stored = (provider: string, address: string) => {
    asked.push(`${provider} ${address}`);
    return key('stored');
  };
  expect(await source('sonnet', KEY, { helper: key('helper'), stored })).toBe('ANTHROPIC_API_KEY');
  expect(await source('sonnet', { ANTHROPIC_AUTH_TOKEN: 'x' }, { helper: key('helper'), stored })).toBe('none');
  expect(await source('sonnet', {}, { helper: key('helper'), stored })).toBe('apiKeyHelper');
  expect(await source('offline', KEY, { stored })).toBe('none');
  expect(await source('openai/x', { OPENAI_API_KEY: 'x', ...KEY }, { stored })).toBe('OPENAI_API_KEY');
  expect(asked).toEqual([]);
  expect(await source('sonnet', {}, { stored })).toBe('/login managed key');
  expect(await source('openai/x', { ...KEY, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, { stored })).toBe(
    '/login managed key',
  );
  expect(asked).toEqual(['anthropic https://api.anthropic.com', 'openai http://127.0.0.1:9/v1']);
  expect(await source('sonnet', {})).toBe('none');
  const given = createModels({ runtime: testRuntime(), credential: async () => ({}) });
  expect((await given.select('sonnet', KEY)).keySource).toBe('none');
  for (const each of [models, given]) each.close();
});
