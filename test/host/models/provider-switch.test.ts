import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

function house(env: Record<string, string>, warnings: string[] = []) {
  const cwd = tempDir();
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

const gone = () => fail(404, 'x', 'no such model', {});

test.each([
  { from: 'gemini/x', to: 'sonnet' },
  { from: 'sonnet', to: 'gemini/x' },
])(
  '[P4, K47] $from falls back to $to in the middle of a turn, with thoughts, calls and results behind it',
  async ({ from, to }) => {
    // The first answers once with a thought and a call, and is gone then: the other continues the same turn.
    const leaving = (_request: unknown, index: number) =>
      index === 0 ? [thinking('musing-1', 'c2ln'), call('toolu_1')] : gone();
    const staying = (_request: unknown, index: number) =>
      index === 0 ? [thinking('other', 'b3RoZXI='), call('toolu_2')] : [text('finished')];
    const claude = await startFakeApi(from === 'sonnet' ? leaving : staying);
    const gemini = await startFakeOpenAi(from === 'sonnet' ? staying : leaving);
    afterTest(() => Promise.all([claude.close(), gemini.close()]));
    const connect = house({
      ANTHROPIC_BASE_URL: claude.url,
      ANTHROPIC_API_KEY: 'sk-test-key',
      GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'gemini-key-1',
    });
    const client = connect({ model: from, fallbackModel: to, maxThinkingTokens: 2000 });
    expect(await client.ask('go')).toMatchObject({ subtype: 'success', result: 'finished' });
    expect(client.of('system/model_fallback')).toMatchObject([{ trigger: 'model_not_found' }]);

    const [first, second] = (to === 'sonnet' ? claude : gemini).requests.map(({ body }) => JSON.stringify(body));
    // The call of the first and its result are there, once each; what it thought is not, nor its signature.
    expect(first?.split('"toolu_1"')).toHaveLength(3);
    expect(first).not.toMatch(/musing-1|c2ln|providerMetadata/);
    expect(second?.split('"toolu_1"')).toHaveLength(3);
    expect(second?.split('"toolu_2"')).toHaveLength(3);
    // The other gets its own thoughts back where its wire has a place for them.
    if (to === 'sonnet') expect(second).toContain('"signature":"b3RoZXI="');
  },
);

test('[G4] a change to Bedrock in mid-session hides the keys of the AWS account from tools and hooks', async () => {
  const asked = () => toolUse('Bash', { command: 'echo "[$AWS_SECRET_ACCESS_KEY|$AWS_ACCESS_KEY_ID]"' });
  const claude = await startFakeApi([[asked()], 'before', [asked()], 'after']);
  const bedrock = await startFakeCloud([[asked()], 'there'], bedrockDialect());
  afterTest(() => claude.close());
  const dir = tempDir();
  const hook = { type: 'command', command: `echo "<$AWS_SECRET_ACCESS_KEY>" >> ${dir}/hooks` };
  const connect = house({
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: 'sk-test-key',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'account-secret-1',
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1',
    ANTHROPIC_BEDROCK_BASE_URL: bedrock.url,
  });
  const client = connect({
    model: 'sonnet',
    settings: JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } }),
  });
  const results = () =>
    [...claude.requests.slice(0, 2), ...bedrock.requests, ...claude.requests.slice(2)].map(({ body }) =>
      JSON.stringify((body.messages as JsonObject[]).at(-1)),
    );
  for (const model of ['sonnet', 'bedrock/sonnet', 'sonnet']) {
    await client.control({ subtype: 'set_model', model });
    expect(await client.ask('go')).toMatchObject({ subtype: 'success' });
  }
  const [, before, , there, , after] = results();
  expect(before).toContain('[account-secret-1|AKIATEST]');
  expect(there).toContain('[|AKIATEST]');
  expect(after).toContain('[|AKIATEST]');
  expect(readFileSync(join(dir, 'hooks'), 'utf8')).toBe('<account-secret-1>\n<>\n<>\n');
});

test('[P4] a budget that cannot count a model is said before it is asked, with what sets its price, and once', async () => {
  const gemini = await startFakeOpenAi(() => 'done');
  afterTest(() => gemini.close());
  const env = { GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'gemini-key-1', HEDDLE_CONTEXT_WINDOW: '100000' };
  const run = async (config: JsonObject, more = {}) => {
    const warnings: string[] = [];
    const client = house({ ...env, ...more }, warnings)({ model: 'gemini/x', ...config });
    const answers = [await client.ask('go'), await client.ask('more')] as unknown as JsonObject[];
    return { warnings, result: answers[1] };
  };
  const told = /^No price is known for the model gemini\/x: its cost is counted as 0 \(modelPricing .* sets it\)$/;
  const free = await run({});
  expect(free.warnings).toEqual([expect.stringMatching(told)]);
  expect(free.result).toMatchObject({ total_cost_usd: 0, modelUsage: { 'gemini/x': { costBasis: 'unknown' } } });
  const limited = await run({ maxBudgetUsd: 1 });
  expect(limited.warnings).toEqual([expect.stringMatching(/^--max-budget-usd cannot stop it: No price is known/)]);
  // With a price the budget ends the session, and nothing is warned about.
  const HEDDLE_MODEL_PRICES = '{"gemini/x":{"input":1000000,"output":1000000}}';
  const priced = await run({ maxBudgetUsd: 1 }, { HEDDLE_MODEL_PRICES });
  expect(priced).toMatchObject({ warnings: [], result: { subtype: 'error_max_budget_usd' } });
  expect(gemini.requests).toHaveLength(5); // the last prompt was not sent
});
