import { expect, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { fail, startFakeApi, startFakeOpenAi, text, thinking, toolUse } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { afterTest } from '../../support/after-test.ts';
import { bedrockDialect } from '../../support/fake-clouds.ts';
import { startFakeResponses } from '../../support/fake-responses.ts';
import { startFakeCloud } from '../../support/start-fake-cloud.ts';
import { Client, tempDir } from '../support.ts';

function house(env: Record<string, string>) {
  const cwd = tempDir();
  const warnings: string[] = [];
  const log = (level: string, message: string) => level === 'warn' && warnings.push(message);
  const engine = createEngine({
    cwd,
    store: createMemoryStore(),
    env: { HOME: cwd, PATH: process.env.PATH, ...env },
    log,
  });
  afterTest(() => engine.close());
  return (config: JsonObject) => {
    const client = new Client(inProcess(engine)({ config: { print: true, allowedTools: ['Bash'], ...config } }));
    afterTest(() => client.close());
    return client;
  };
}

const call = (id: string) => toolUse('Bash', { command: 'true' }, id);

test('[P4, K47] a session goes from one provider to the next and back: requests are valid, foreign thoughts stay out', async () => {
  const claude = await startFakeApi([[thinking('mine', 'c2ln'), call('toolu_1')], 'from claude', 'claude again']);
  const bedrock = await startFakeCloud(
    [[thinking('cloudy', 'Y2xvdWQ='), call('toolu_2')], 'from bedrock'],
    bedrockDialect(),
  );
  const responses = await startFakeResponses([[thinking('', 'ZW5j'), call('call_3')], 'from responses']);
  const chat = await startFakeOpenAi([[thinking('of-the-chat'), call('call_4')], 'from chat']);
  afterTest(() => Promise.all([claude.close(), responses.close(), chat.close()]));
  const connect = house({
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: 'sk-test-key',
    AWS_REGION: 'us-east-1',
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1',
    ANTHROPIC_BEDROCK_BASE_URL: bedrock.url,
    OPENAI_BASE_URL: responses.url,
    OPENAI_API_KEY: 'openai-key-1',
    OLLAMA_BASE_URL: chat.url,
  });
  const client = connect({ model: 'sonnet', maxThinkingTokens: 2000 });
  const said: unknown[] = [];
  for (const model of ['sonnet', 'bedrock/sonnet', 'openai-responses/gpt-5', 'ollama/qwen3', 'sonnet']) {
    await client.control({ subtype: 'set_model', model });
    said.push(((await client.ask('go')) as unknown as JsonObject).result);
  }
  expect(said).toEqual(['from claude', 'from bedrock', 'from responses', 'from chat', 'claude again']);

  // Within its own turn each provider gets its thoughts back.
  expect(JSON.stringify(claude.requests[1]?.body)).toContain('"signature":"c2ln"');
  expect(JSON.stringify(bedrock.requests[1]?.body)).toContain('"signature":"Y2xvdWQ="');
  expect(JSON.stringify(responses.requests[1]?.body)).toContain('"encrypted_content":"ZW5j"');
  // Nobody gets those of another.
  expect(JSON.stringify(bedrock.requests[0]?.body)).not.toMatch(/c2ln|mine/);
  expect(JSON.stringify(responses.requests[0]?.body)).not.toMatch(/c2ln|Y2xvdWQ|cloudy/);
  expect(JSON.stringify(chat.requests.map(({ body }) => body))).not.toMatch(/c2ln|Y2xvdWQ|ZW5j|cloudy/);
  const last = JSON.stringify(claude.requests.at(-1)?.body);
  expect(last).not.toMatch(/Y2xvdWQ|ZW5j|of-the-chat|providerMetadata|"provider"/);
  // Every call and its result are there.
  for (const id of ['toolu_1', 'toolu_2', 'call_3', 'call_4']) expect(last.split(`"${id}"`)).toHaveLength(3);
});

test('[P4] a list of fallbacks goes from provider to provider', async () => {
  const bedrock = await startFakeCloud(() => fail(404, 'x', 'no such model'), bedrockDialect());
  const openRouter = await startFakeOpenAi(() => fail(404, 'x', 'No such model', {}));
  const ollama = await startFakeOpenAi(() => [text('from here')]);
  afterTest(() => Promise.all([openRouter.close(), ollama.close()]));
  const connect = house({
    AWS_REGION: 'us-east-1',
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1',
    ANTHROPIC_BEDROCK_BASE_URL: bedrock.url,
    OPENROUTER_BASE_URL: openRouter.url,
    OPENROUTER_API_KEY: 'router-key-1',
    OLLAMA_BASE_URL: ollama.url,
  });
  const client = connect({ model: 'bedrock/sonnet', fallbackModel: 'openrouter/x,ollama/y' });
  expect(await client.ask('go')).toMatchObject({ subtype: 'success', result: 'from here' });
  expect(client.of('system/model_fallback').map((line) => line.fallback_model)).toEqual(['openrouter/x', 'ollama/y']);
});
