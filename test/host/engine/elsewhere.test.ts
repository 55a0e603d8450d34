import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { connectElsewhere } from '../../../src/host/engine/elsewhere.ts';
import { createModels } from '../../../src/host/engine/engine-models.ts';
import { secretValues, toolEnv } from '../../../src/host/engine/environment.ts';
import { withSettingsEnv } from '../../../src/host/launch/apply-settings.ts';
import { resolveModel } from '../../../src/model/resolve.ts';
import { collectEvents, modelCases, startFakeApi, startFakeOpenAi } from '../../../src/testing/index.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { failureOf, runtime } from '../../model/support.ts';
import { afterTest } from '../../support/after-test.ts';
import { bedrockDialect } from '../../support/fake-clouds.ts';
import { startFakeCloud } from '../../support/start-fake-cloud.ts';
import { tempDir } from '../support.ts';

/** Commands answer by their first word. */
function processes(outputs: Record<string, string>) {
  const ran: string[] = [];
  return {
    ran,
    async run(spec: { args: readonly string[]; onOutput?: (stream: 'stdout', data: Buffer) => void }) {
      const command = spec.args.at(-1) ?? '';
      ran.push(command);
      const output = outputs[command.split(' ')[0] ?? ''];
      if (output !== undefined) spec.onOutput?.('stdout', Buffer.from(output));
      return { exitCode: output === undefined ? 127 : 0, timedOut: false, signal: null };
    },
  };
}

async function connect(
  provider: string,
  env: Record<string, string>,
  more: Partial<Parameters<typeof connectElsewhere>[2]> = {},
) {
  const own = { runtime, userAgent: 'heddle/0.0.0' };
  return connectElsewhere(provider, env, { commands: undefined, processes: undefined, note: undefined, own, ...more });
}

async function made(...args: Parameters<typeof connect>) {
  const found = await connect(...args);
  if (found instanceof HeddleError) throw found;
  return found.make();
}

describe('[P4] what is missing is one sentence that says what to set', () => {
  const nowhere = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
  it.each([
    ['bedrock', nowhere, 'Amazon Bedrock needs a region: set AWS_REGION, such as us-east-1.'],
    ['bedrock', { AWS_REGION: 'evil.example/x' }, 'AWS_REGION is no name of a region: evil.example/x'],
    ['vertex', {}, 'Google Vertex AI needs a project: set ANTHROPIC_VERTEX_PROJECT_ID.'],
    [
      'vertex',
      { ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
      'Google Vertex AI needs a region: set CLOUD_ML_REGION, such as us-east5 or global.',
    ],
    [
      'foundry',
      {},
      'Microsoft Foundry needs a resource: set ANTHROPIC_FOUNDRY_RESOURCE, or ANTHROPIC_FOUNDRY_BASE_URL.',
    ],
    ['azure', {}, 'Azure OpenAI needs an address: set AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com'],
    [
      'gemini',
      {},
      'gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or store one with heddle auth login --provider gemini.',
    ],
    [
      'openrouter',
      {},
      'openrouter needs a key: set OPENROUTER_API_KEY, or store one with heddle auth login --provider openrouter.',
    ],
    [
      'mine',
      { HEDDLE_MODEL_PROVIDERS: '{"mine":{"baseUrl":"https://h.example","keyVariable":"MINE_KEY"}}' },
      'mine needs a key: set MINE_KEY, or store one with heddle auth login --provider mine.',
    ],
  ])('%s with %j', async (provider, env, message) => {
    expect(await connect(provider, env)).toMatchObject({ code: 'no_credentials', message });
  });

  it('a row of modelProviders that cannot be used', async () => {
    const env = { HEDDLE_MODEL_PROVIDERS: '{"mine":{"baseUrl":"https://h.example","wire":"soap"}}' };
    await expect(connect('mine', env)).rejects.toThrow(/mine has a wire that is none of chat, responses, messages/);
  });

  it('credentials that no source has fail the turn', async () => {
    const model = await made('bedrock', { ...nowhere, AWS_REGION: 'us-east-1' });
    expect(failureOf(await collectEvents(model))).toMatchObject({
      class: 'authentication',
      message: expect.stringMatching(/no AWS keys were found: set AWS_BEARER_TOKEN_BEDROCK/),
    });
  });

  it.each([
    ['foundry', { ANTHROPIC_FOUNDRY_RESOURCE: 'r' }, 'ANTHROPIC_FOUNDRY_API_KEY'],
    ['azure', { AZURE_OPENAI_RESOURCE: 'r' }, 'AZURE_OPENAI_API_KEY'],
  ])('%s without a key asks az, and names both', async (provider, env, variable) => {
    const given = processes({});
    const model = await made(provider, env, { processes: given as never });
    expect(failureOf(await collectEvents(model))?.message).toContain(`set ${variable}, or run az login`);
    expect(given.ran[0]).toMatch(/^az account get-access-token --output json --scope https:\/\/\S+\/\.default$/);
  });
});

describe('[P4] the contract of a model', () => {
  for (const { name, run } of modelCases()) {
    it(`at Foundry: ${name}`, () =>
      run(async (script) => {
        const api = await startFakeApi(script);
        const env = { ANTHROPIC_FOUNDRY_BASE_URL: api.url, ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key' };
        return { model: await made('foundry', env), close: () => api.close() };
      }));
  }
  for (const provider of ['gemini', 'azure', 'ollama']) {
    for (const { name, run } of modelCases({ signsThoughts: false })) {
      it(`at ${provider}: ${name}`, () =>
        run(async (script) => {
          const api = await startFakeOpenAi(script);
          const variable = provider === 'azure' ? 'AZURE_OPENAI' : provider.toUpperCase();
          const env = { [`${variable}_BASE_URL`]: api.url, [`${variable}_API_KEY`]: 'the-key' };
          return { model: await made(provider, env), close: () => api.close() };
        }));
    }
  }
});

test('an expired sign-in runs awsAuthRefresh once, and the request goes out again with new keys', async () => {
  const cloud = await startFakeCloud(
    ['Hello'],
    bedrockDialect(({ headers }) =>
      headers.authorization?.includes('NEW') ? null : 'The security token included in the request is expired',
    ),
  );
  let keys = 'OLD';
  const given = processes({ login: 'signed in' });
  const run: typeof given.run = async (spec) => {
    const isLogin = spec.args.at(-1) === 'login';
    if (isLogin) keys = 'NEW';
    else
      spec.onOutput?.('stdout', Buffer.from(JSON.stringify({ AccessKeyId: keys, SecretAccessKey: 'secret-of-these' })));
    given.ran.push(spec.args.at(-1) ?? '');
    return { exitCode: 0, timedOut: false, signal: null };
  };
  const noted: string[] = [];
  const model = await made(
    'bedrock',
    { AWS_REGION: 'us-east-1', ANTHROPIC_BEDROCK_BASE_URL: cloud.url },
    {
      processes: { run } as never,
      note: (secrets) => noted.push(...secrets),
      commands: { cwd: '/', awsAuthRefresh: 'login', awsCredentialExport: 'keys' },
    },
  );
  expect(failureOf(await collectEvents(model))).toBeUndefined();
  expect(given.ran).toEqual(['keys', 'login', 'keys']);
  expect(noted).toEqual(['secret-of-these', 'secret-of-these']);
});

test('a server of the user needs no code: chat completions or messages, with its own header for the key', async () => {
  const chat = await startFakeOpenAi(['one']);
  const messages = await startFakeApi(['two']);
  afterTest(() => Promise.all([chat.close(), messages.close()]));
  const rows = {
    groq: { baseUrl: chat.url, keyVariable: 'GROQ_KEY', keyHeader: 'X-Key', headers: { 'x-team': 'a' } },
    gate: { baseUrl: messages.url, wire: 'messages', keyVariable: 'GATE_KEY' },
  };
  const env = { HEDDLE_MODEL_PROVIDERS: JSON.stringify(rows), GROQ_KEY: 'groq-key-1', GATE_KEY: 'gate-key-1' };
  const models = createModels({ runtime });
  for (const name of ['groq/llama-4', 'gate/anything']) {
    const { model, id, keySource } = await models.select(name, env);
    expect([id, keySource]).toEqual([name, name.startsWith('groq') ? 'GROQ_KEY' : 'GATE_KEY']);
    await collectEvents(model);
  }
  expect(chat.requests[0]?.headers).toMatchObject({ 'x-key': 'groq-key-1', 'x-team': 'a' });
  expect(messages.requests[0]?.headers).toMatchObject({ authorization: 'Bearer gate-key-1' });
  models.close();
});

test('[G4] keys of all providers are hidden, and not in the environment of tools', () => {
  const env = {
    GEMINI_API_KEY: 'gemini-key-1',
    AWS_BEARER_TOKEN_BEDROCK: 'bearer-1234',
    AZURE_OPENAI_API_KEY: 'azure-key-1',
    ANTHROPIC_FOUNDRY_API_KEY: 'foundry-1',
    OPENROUTER_API_KEY: 'router-key-1',
    HEDDLE_MODEL_PROVIDERS: '{"mine":{"baseUrl":"https://h","keyVariable":"MINE_KEY"}}',
    MINE_KEY: 'mine-key-1',
  };
  expect(Object.keys(toolEnv(env))).toEqual(['HEDDLE_MODEL_PROVIDERS']);
  expect(secretValues(env).sort()).toEqual([
    'azure-key-1',
    'bearer-1234',
    'foundry-1',
    'gemini-key-1',
    'mine-key-1',
    'router-key-1',
  ]);
  // Keys of a whole account stay with the tools, unless the model runs on them.
  const account = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret-key-1', AWS_SESSION_TOKEN: 'session-1' };
  expect(toolEnv(account)).toEqual(account);
  const chosen = { ...account, CLAUDE_CODE_USE_BEDROCK: '1' };
  expect(toolEnv(chosen)).toEqual({ AWS_ACCESS_KEY_ID: 'AKIA', CLAUDE_CODE_USE_BEDROCK: '1' });
  expect(secretValues(chosen)).toEqual(['secret-key-1', 'session-1']);
  for (const config of [
    { model: 'bedrock/sonnet' },
    { model: 'cloudy' },
    { model: 'sonnet', fallbackModel: 'haiku, Bedrock/x' },
  ]) {
    const launched = withSettingsEnv(account, { env: {}, modelAliases: { cloudy: 'bedrock/opus' } } as never, config);
    expect(toolEnv(launched)).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
    expect(secretValues(launched)).toEqual(['secret-key-1', 'session-1']);
  }
  expect(withSettingsEnv(account, { env: {} } as never, { model: 'sonnet' })).toEqual(account);
});

test.each<[string | undefined, Record<string, string>, string, string]>([
  [
    undefined,
    { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1' },
    'bedrock',
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  ['bedrock/haiku', { AWS_REGION: 'ap-northeast-1' }, 'bedrock', 'bedrock/jp.anthropic.claude-haiku-4-5-20251001-v1:0'],
  ['bedrock/opus', { AWS_REGION: 'ap-northeast-1' }, 'bedrock', 'bedrock/global.anthropic.claude-opus-4-6-v1'],
  ['bedrock/opus', { AWS_REGION: 'ap-southeast-2' }, 'bedrock', 'bedrock/au.anthropic.claude-opus-4-6-v1'],
  [
    'bedrock/sonnet',
    { AWS_REGION: 'ap-south-1' },
    'bedrock',
    'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  ['opus', { CLAUDE_CODE_USE_VERTEX: '1' }, 'vertex', 'claude-opus-4-6'],
  ['sonnet', { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_DEFAULT_SONNET_MODEL: 'my-sonnet' }, 'foundry', 'my-sonnet'],
  ['bedrock/sonnet', {}, 'bedrock', 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  [
    'Bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/x',
    {},
    'bedrock',
    'bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/x',
  ],
  ['gemini/gemini-3-pro-preview', { CLAUDE_CODE_USE_BEDROCK: '1' }, 'gemini', 'gemini/gemini-3-pro-preview'],
  ['openrouter/anthropic/claude-sonnet-4.5', {}, 'openrouter', 'openrouter/anthropic/claude-sonnet-4.5'],
  ['unknown/x', {}, 'anthropic', 'unknown/x'],
])('[P4] %s with %j is %s: %s', (name, env, provider, id) => {
  expect(resolveModel(name, env)).toMatchObject({ provider, id });
});

test('[P4] names of Bedrock take the region of the profile, as requests do', async () => {
  const home = tempDir();
  mkdirSync(join(home, '.aws'));
  writeFileSync(join(home, '.aws', 'config'), '[default]\nregion = eu-central-1\n[profile far]\nregion = ap-south-1\n');
  const models = createModels({ runtime });
  afterTest(() => models.close());
  const idOf = async (name: string, env: Record<string, string>) => (await models.select(name, env)).id;
  const sonnet = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
  const HOME = home;
  expect(await idOf('bedrock/sonnet', { HOME })).toBe(`bedrock/eu.${sonnet}`);
  expect(await idOf('bedrock/sonnet', { HOME, AWS_PROFILE: 'far' })).toBe(`bedrock/global.${sonnet}`);
  expect(await idOf('sonnet', { HOME, CLAUDE_CODE_USE_BEDROCK: '1' })).toBe(`eu.${sonnet}`);
  expect(await idOf('bedrock/sonnet', { HOME, AWS_REGION: 'us-east-2' })).toBe(`bedrock/us.${sonnet}`);
});

test.each([
  ['bedrock/us.anthropic.claude-opus-4-6-v1', 1_000_000],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
  ['vertex/claude-sonnet-4-5@20250929', 200_000],
])('limits and prices of %s are those of the model', (name, contextWindow) => {
  expect(resolveModel(name, {})).toMatchObject({ contextWindow, isWindowGuessed: false });
});
