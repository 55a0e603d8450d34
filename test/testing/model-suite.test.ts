import { describe, it } from 'vitest';
import { withRetry } from '../../src/model/http/retry.ts';
import { type MakeModel, modelCases, scriptedModel, startFakeApi, startFakeOpenAi } from '../../src/testing/index.ts';
import { anthropic, openAi, runtime } from '../model/support.ts';

const makers: Record<string, MakeModel> = {
  'the Anthropic adapter': async (script) => {
    const api = await startFakeApi(script);
    return { model: anthropic(api.url), close: () => api.close() };
  },
  'the Anthropic adapter behind a retry that never retries': async (script) => {
    const api = await startFakeApi(script);
    return {
      model: withRetry(anthropic(api.url), { maxRetries: 0, clock: runtime.clock, random: () => 0 }),
      close: () => api.close(),
    };
  },
  'the scripted model': async (script) => ({ model: scriptedModel(script), close: async () => {} }),
};

describe.each(Object.entries(makers))('the Model contract holds for %s', (_, make) => {
  it.each(modelCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run(make));
});

describe('the Model contract holds for the OpenAI adapter', () => {
  const make: MakeModel = async (script) => {
    const api = await startFakeOpenAi(script);
    return { model: openAi(api.url), close: () => api.close() };
  };
  it.each(modelCases({ signsThoughts: false }).map(({ name, run }) => [name, run] as const))('%s', (_name, run) =>
    run(make),
  );
});
