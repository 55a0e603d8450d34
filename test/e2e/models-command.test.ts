import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { ModelsView } from '../../src/admin/models.ts';
import { afterTest } from '../support/after-test.ts';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

/** A server as Ollama is one, with two models. */
async function ollama(): Promise<string> {
  const server = createServer((request, response) => {
    const isList = request.method === 'GET' && request.url === '/v1/models';
    response
      .writeHead(isList ? 200 : 404)
      .end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'gemma4' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Addresses where nobody answers, so that servers of this machine play no part. */
const NOBODY = Object.fromEntries(
  ['OLLAMA', 'LMSTUDIO', 'LLAMACPP', 'VLLM'].map((name) => [`${name}_BASE_URL`, 'http://127.0.0.1:1/v1']),
);

test('[P4] heddle models lists names, providers with what is missing, and servers of this machine', async () => {
  const place = await makePlace();
  const address = await ollama();
  const env = { ...NOBODY, OLLAMA_BASE_URL: address, GEMINI_API_KEY: 'gemini-key-1', AWS_CONFIG_FILE: '/nowhere' };
  const { code, stdout, stderr } = await runCli(['models', '--json'], { place, env });
  expect([code, stderr]).toEqual([0, '']);
  const view = JSON.parse(stdout) as ModelsView;
  expect(view.local).toEqual([{ name: 'ollama', address, models: ['qwen3:8b', 'gemma4'] }]);
  expect(view.names).toContainEqual(expect.objectContaining({ value: 'offline', resolvedModel: 'offline' }));
  const byName = Object.fromEntries(view.providers.map((each) => [each.name, each]));
  expect(byName.anthropic).toMatchObject({ isReady: true, lacks: null });
  expect(byName.gemini).toMatchObject({ isReady: true, lacks: null });
  expect(byName.bedrock).toMatchObject({ isReady: false, lacks: expect.stringContaining('AWS_REGION') });
  expect(stdout).not.toContain('gemini-key-1');
  expect(place.api.requests).toEqual([]);
});

test('heddle models for people names what --model takes', async () => {
  const place = await makePlace();
  const { code, stdout } = await runCli(['models'], { place, env: { ...NOBODY, CLAUDE_CODE_USE_VERTEX: '1' } });
  expect(code).toBe(0);
  expect(stdout).toContain('Names, answered by vertex');
  expect(stdout).toMatch(/sonnet +claude-sonnet-4-5@20250929/);
  expect(stdout).toMatch(/openrouter\/NAME +openrouter needs a key: set OPENROUTER_API_KEY/);
  expect(stdout).toContain('no server answers');
});
