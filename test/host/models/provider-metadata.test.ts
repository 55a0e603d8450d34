import { expect, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { raw, startFakeApi, startFakeOpenAi, toolUse } from '../../../src/testing/index.ts';
import { isObject, type JsonObject } from '../../../src/util/json.ts';
import { done, said, stop } from '../../model/openai-chunks.ts';
import { afterTest } from '../../support/after-test.ts';
import { signatureOf, strictGemini } from '../../support/strict-gemini.ts';
import { Client, tempDir } from '../support.ts';

function house(env: Record<string, string>) {
  const cwd = tempDir();
  const store = createMemoryStore();
  const engine = createEngine({ cwd, store, log: () => {}, env: { HOME: cwd, PATH: process.env.PATH, ...env } });
  afterTest(() => engine.close());
  const open = inProcess(engine);
  return {
    /** One turn in a run of its own. */
    async ask(config: JsonObject, prompt: string) {
      const client = new Client(open({ config: { print: true, allowedTools: ['Bash'], ...config } }));
      const result = await client.ask(prompt);
      await client.close();
      return result;
    },
    async entries(sessionId: string) {
      const found: JsonObject[] = [];
      for await (const item of store.load({ project: cwd, sessionId })) if ('entry' in item) found.push(item.entry);
      return found;
    },
  };
}

test('[K47] signatures of calls are kept in their entries, and go back in the same run and after a resume', async () => {
  const api = await startFakeOpenAi(strictGemini);
  afterTest(() => api.close());
  const { ask, entries } = house({ OPENAI_BASE_URL: api.url });
  const first = await ask({ model: 'openai/gemini-3-pro' }, 'go');
  expect(first).toMatchObject({ subtype: 'success', result: 'done' });

  const again = await ask({ model: 'openai/gemini-3-pro', resume: first.session_id }, 'again');
  expect(again).toMatchObject({ subtype: 'success', result: 'done' });
  expect(api.requests).toHaveLength(4);

  const kept = (await entries(again.session_id)).filter(({ providerMetadata }) => isObject(providerMetadata));
  expect(kept.map(({ providerMetadata }) => providerMetadata)).toEqual([
    {
      provider: new URL(api.url).host,
      family: 'gemini-3',
      calls: { call_0: { extra_content: signatureOf('call_0') } },
    },
    {
      provider: new URL(api.url).host,
      family: 'gemini-3',
      calls: { call_2: { extra_content: signatureOf('call_2') } },
    },
  ]);
  for (const { message } of kept) expect(JSON.stringify(message)).not.toContain('sig of');
});

test('[K47] another provider gets nothing of it, and its own calls are signed when the session goes back', async () => {
  const gemini = await startFakeOpenAi((request, index) => {
    const withStandIn = JSON.stringify(request.body).includes('skip_thought_signature_validator');
    return withStandIn ? raw(said('done') + stop + done) : strictGemini(request, index);
  });
  const claude = await startFakeApi([toolUse('Bash', { command: 'true' }, 'toolu_1'), 'mine']);
  afterTest(() => Promise.all([gemini.close(), claude.close()]));
  const { ask } = house({
    OPENAI_BASE_URL: gemini.url,
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: 'sk-test-key',
  });
  const { session_id: resume } = await ask({ model: 'openai/gemini-3-pro' }, 'go');
  expect(await ask({ model: 'sonnet', resume }, 'you')).toMatchObject({ result: 'mine' });
  expect(JSON.stringify(claude.requests.map(({ body }) => body))).not.toMatch(/sig of|extra_content|providerMetadata/);
  expect(await ask({ model: 'openai/gemini-3-pro', resume }, 'back')).toMatchObject({ result: 'done' });
});
