import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { startFakeOpenAi } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { afterTest } from '../../support/after-test.ts';
import { Client, tempDir } from '../support.ts';

/** A server that answers chat completions and tells about its models, in front of a fake that does the former. */
async function vllm() {
  const chat = await startFakeOpenAi(() => 'Hello');
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      asked.push(request.url ?? '');
      response.end(JSON.stringify({ data: [{ id: 'q', max_model_len: 32_768 }] }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(`${chat.url}/chat/completions`, { method: 'POST', body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { 'content-type': 'text/event-stream' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(async () => {
    server.closeAllConnections();
    await Promise.all([chat.close(), new Promise((resolve) => server.close(resolve))]);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

async function house(url: string) {
  const home = tempDir();
  const warnings: string[] = [];
  const engine = createEngine({
    cwd: tempDir(),
    home,
    store: createMemoryStore(),
    env: { HOME: home, VLLM_BASE_URL: url },
    log: (level, message) => level === 'warn' && warnings.push(message),
  });
  afterTest(() => engine.close());
  return {
    home,
    warnings,
    async ask() {
      const client = new Client(inProcess(engine)({ config: { print: true, model: 'vllm/q' } }));
      const result = (await client.ask('hi')) as unknown as { modelUsage: Record<string, JsonObject> };
      await client.close();
      return result.modelUsage['vllm/q'] ?? {};
    },
  };
}

const settled = async (isDone: () => boolean) => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a server is asked once a day what fits into its model, and the next run knows it', async () => {
  const server = await vllm();
  const { home, warnings, ask } = await house(server.url);
  const file = join(home, 'models.json');
  expect(await ask()).toMatchObject({ contextWindow: 128_000, costBasis: 'unknown' });
  expect(warnings.join('\n')).toMatch(/window of vllm\/q is unknown[\s\S]*No price is known/);
  await settled(() => existsSync(file));
  warnings.length = 0;
  expect(await ask()).toMatchObject({ contextWindow: 32_768, costUSD: 0, costBasis: 'list' });
  expect(warnings).toEqual([]);
  expect(server.asked).toEqual(['/v1/models']);

  const rows = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(
    file,
    JSON.stringify({ 'vllm/q': { ...rows['vllm/q'], asked: 5, contextWindow: 16_384 }, other: 'damage' }),
  );
  expect(await ask()).toMatchObject({ contextWindow: 16_384 });
  await settled(() => server.asked.length === 2);
});

test('modelCatalog: false asks nobody, and modelPricing sets a price', async () => {
  const server = await vllm();
  const { home, ask } = await house(server.url);
  const modelPricing = { 'vllm/q': { input: 1_000_000, output: 0 } };
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ modelCatalog: false, modelPricing }));
  expect(await ask()).toMatchObject({ contextWindow: 128_000, costBasis: 'list', costUSD: 110 });
  expect(server.asked).toEqual([]);
  expect(existsSync(join(home, 'models.json'))).toBe(false);
});
