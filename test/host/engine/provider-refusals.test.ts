import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { connectElsewhere } from '../../../src/host/engine/elsewhere.ts';
import { toolEnv } from '../../../src/host/engine/environment.ts';
import { withSettingsEnv } from '../../../src/host/launch/apply-settings.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { Model, ModelEvent, ModelRequest } from '../../../src/model/model.ts';
import { startFakeApi } from '../../../src/testing/index.ts';
import { collectEvents, sampleRequest } from '../../../src/testing/model-suite.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { failureOf, runtime } from '../../model/support.ts';
import { afterTest } from '../../support/after-test.ts';
import { bedrockDialect } from '../../support/fake-clouds.ts';
import { startFakeCloud } from '../../support/start-fake-cloud.ts';

/** A server that refuses everything with one answer. */
async function refusing(status: number, body: unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function made(provider: string, env: Record<string, string>, log = runtime.log) {
  const own = { runtime: { ...runtime, log }, userAgent: 'heddle/0.0.0' };
  const found = await connectElsewhere(provider, env, {
    ...{ commands: undefined, processes: undefined, note: undefined },
    own,
  });
  if (found instanceof HeddleError) throw found;
  return found.make();
}

const BEDROCK = { AWS_REGION: 'ap-northeast-1', AWS_BEARER_TOKEN_BEDROCK: 'bearer-1234' };
const VERTEX = { CLOUD_ML_REGION: 'us-east5', ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' };

/** Each provider with the variable of its address. */
const AT: Readonly<Record<string, [string, Record<string, string>]>> = {
  bedrock: ['ANTHROPIC_BEDROCK_BASE_URL', BEDROCK],
  vertex: ['ANTHROPIC_VERTEX_BASE_URL', VERTEX],
  foundry: ['ANTHROPIC_FOUNDRY_BASE_URL', { ANTHROPIC_FOUNDRY_API_KEY: 'foundry-1' }],
  azure: ['AZURE_OPENAI_BASE_URL', { AZURE_OPENAI_API_KEY: 'azure-key-1' }],
  gemini: ['GEMINI_BASE_URL', { GEMINI_API_KEY: 'gemini-key-1' }],
  openrouter: ['OPENROUTER_BASE_URL', { OPENROUTER_API_KEY: 'router-key-1' }],
  'openai-responses': ['OPENAI_BASE_URL', { OPENAI_API_KEY: 'openai-key-1' }],
  llamacpp: ['LLAMACPP_BASE_URL', {}],
  ollama: ['OLLAMA_BASE_URL', {}],
};

async function asked(model: Model, change: Partial<ModelRequest>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const request = { ...sampleRequest(), ...change };
  for await (const event of eachEvent(model.stream(request, new AbortController().signal))) events.push(event);
  return events;
}

async function refusal(provider: string, url: string) {
  const [variable = '', env = {}] = AT[provider] ?? [];
  return failureOf(await collectEvents(await made(provider, { ...env, [variable]: url })));
}

describe('[P4] a refusal is one sentence that says what to set, from', () => {
  it.each<[string, number, unknown, string, string]>([
    [
      'gemini',
      400,
      [
        {
          error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
        },
      ],
      'authentication',
      'API key not valid. Please pass a valid API key. Check GEMINI_API_KEY.',
    ],
    [
      'gemini',
      404,
      [{ error: { code: 404, message: 'models/g is not found for API version v1main', status: 'NOT_FOUND' } }],
      'model_not_found',
      'models/g is not found for API version v1main',
    ],
    [
      'openrouter',
      401,
      { error: { message: 'No auth', code: 401 } },
      'authentication',
      'No auth. Check OPENROUTER_API_KEY.',
    ],
    [
      'openrouter',
      400,
      { error: { message: 'a/b is not a valid model ID', code: 400 } },
      'model_not_found',
      'a/b is not a valid model ID',
    ],
    [
      'azure',
      401,
      { error: { code: '401', message: 'Access denied.' } },
      'authentication',
      'Access denied. Check AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT.',
    ],
    [
      'foundry',
      401,
      { error: { code: '401', message: 'Access denied.' } },
      'authentication',
      'Access denied. Check ANTHROPIC_FOUNDRY_API_KEY.',
    ],
    [
      'bedrock',
      403,
      { Message: 'Authentication failed.' },
      'authentication',
      'Authentication failed. Check AWS_BEARER_TOKEN_BEDROCK or the AWS keys, and the access to claude-sonnet-4-5-20250929 in ap-northeast-1.',
    ],
    [
      'bedrock',
      400,
      { message: 'The provided model identifier is invalid.' },
      'invalid_request',
      "The provided model identifier is invalid. Check the model's name and AWS_REGION (ap-northeast-1), where names of Anthropic's models begin with jp.",
    ],
    [
      'bedrock',
      400,
      { message: "This model doesn't support tool use." },
      'invalid_request',
      "This model doesn't support tool use. Choose a model that can call tools: an agent cannot work without them.",
    ],
    [
      'vertex',
      404,
      [{ error: { code: 404, message: 'Publisher Model was not found.', status: 'NOT_FOUND' } }],
      'model_not_found',
      "Publisher Model was not found. Check the model's name, CLOUD_ML_REGION (us-east5), and that p has enabled the model.",
    ],
    [
      'llamacpp',
      500,
      { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
      'invalid_request',
      'tools param requires --jinja flag. Start the server with these flags: an agent cannot work without tools.',
    ],
  ])('%s with status %i: %j', async (provider, status, body, kind, message) => {
    const failure = await refusal(provider, await refusing(status, body));
    expect([failure?.class, failure?.message]).toEqual([kind, message]);
  });

  it('a server without the Responses API', async () => {
    const url = await refusing(404, '<html>Not Found</html>');
    const failure = await refusal('openai-responses', url);
    expect(failure?.class).toBe('invalid_request');
    expect(failure?.message).toBe(
      `There is no Responses API at ${url}/responses (HTTP status 404). Check OPENAI_BASE_URL: it usually ends in /v1.`,
    );
  });

  it('a server that is not there', async () => {
    expect((await refusal('ollama', 'http://127.0.0.1:1/v1'))?.message).toBe(
      'Could not connect to 127.0.0.1:1: connection refused (ECONNREFUSED). OLLAMA_BASE_URL is its address.',
    );
  });
});

test('Foundry takes a token that is given as a bearer, where there is no key, and names it when it is refused', async () => {
  const api = await startFakeApi(['one']);
  afterTest(() => api.close());
  const env = { ANTHROPIC_FOUNDRY_BASE_URL: api.url, ANTHROPIC_FOUNDRY_AUTH_TOKEN: 'entra-token-1' };
  expect(failureOf(await collectEvents(await made('foundry', env)))).toBeUndefined();
  expect(api.requests[0]?.headers).toMatchObject({ authorization: 'Bearer entra-token-1' });
  expect(api.requests[0]?.headers).not.toHaveProperty('x-api-key');
  expect(toolEnv(env)).not.toHaveProperty('ANTHROPIC_FOUNDRY_AUTH_TOKEN');
  const url = await refusing(401, { error: { code: '401', message: 'Expired.' } });
  const refused = await made('foundry', { ...env, ANTHROPIC_FOUNDRY_BASE_URL: url });
  expect(failureOf(await collectEvents(refused))?.message).toBe('Expired. Check ANTHROPIC_FOUNDRY_AUTH_TOKEN.');
});

test('modelOverrides: a cloud gets its own name of a model, from any form of its name', async () => {
  const arn = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/x';
  const settings = { modelOverrides: { 'claude-opus-4-6': arn, 'claude-haiku-4-5': 'my-haiku' } };
  const cloud = await startFakeCloud(['one', 'two', 'three', 'four'], bedrockDialect());
  const env = withSettingsEnv({ ...BEDROCK, ANTHROPIC_BEDROCK_BASE_URL: cloud.url }, settings as never, {});
  const model = await made('bedrock', env as Record<string, string>);
  for (const name of ['bedrock/us.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6', 'claude-haiku-4-5-20251001', 'x']) {
    expect(failureOf(await asked(model, { model: name }))).toBeUndefined();
  }
  expect(cloud.requests.map(({ path }) => decodeURIComponent(path.split('/')[2] ?? ''))).toEqual([
    ...[arn, arn, 'my-haiku', 'x'],
  ]);
});

test('a beta that a cloud does not know is left out, and that is said once', async () => {
  const cloud = await startFakeCloud(['one', 'two'], bedrockDialect());
  const said: string[] = [];
  const env = { ...BEDROCK, ANTHROPIC_BEDROCK_BASE_URL: cloud.url };
  const model = await made('bedrock', env, (level, text) => level === 'warn' && said.push(String(text)));
  const betas = ['context-1m-2025-08-07', 'made-up-2026-01-01'];
  await asked(model, { betas });
  await asked(model, { betas });
  expect(cloud.requests.map(({ body }) => body.anthropic_beta)).toEqual([
    ['context-1m-2025-08-07'],
    ['context-1m-2025-08-07'],
  ]);
  expect(said).toEqual(['bedrock does not know the beta made-up-2026-01-01: requests go without it']);
});
