import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { createHouse, resultsOf } from '../support.ts';

/** A model whose provider may change between calls, as it does when the host chooses another model. */
function changingModel(script: Parameters<typeof scriptedModel>[0]) {
  const scripted = scriptedModel(script);
  let provider = 'anthropic';
  return {
    get provider() {
      return provider;
    },
    stream: scripted.stream,
    requests: scripted.requests,
    changeTo(name: string) {
      provider = name;
    },
  };
}

test('WebSearch is there only with a provider that can search', async () => {
  const toolsWith = async (provider: string) => {
    const model = changingModel(['Hi.']);
    model.changeTo(provider);
    const client = createHouse([], { model }).connect();
    await client.ask('go');
    return client.of('system/init')[0]?.tools;
  };
  expect(await toolsWith('anthropic')).toContain('WebSearch');
  expect(await toolsWith('other')).not.toContain('WebSearch');
});

test('a model of another provider cannot search', async () => {
  const model = changingModel((_request, index) => {
    model.changeTo('other');
    return index === 0 ? [toolUse('WebSearch', { query: 'looms' })] : 'Done.';
  });
  const client = createHouse([], { model }).connect({ allowedTools: ['WebSearch'] });
  await client.ask('go');
  expect(resultsOf(client.lines)[0]).toMatchObject({
    is_error: true,
    content: expect.stringContaining('is not from a provider that runs this tool itself'),
  });
  expect(model.requests).toHaveLength(2);
});

test('a search beside the conversation uses the session’s model and the provider’s own tool', async () => {
  const model = changingModel([[toolUse('WebSearch', { query: 'looms' })], 'Looms weave.', 'Done.']);
  const client = createHouse([], { model }).connect({ allowedTools: ['WebSearch'] });
  await client.ask('go');
  expect(model.requests[1]).toMatchObject({
    model: model.requests[0]?.model,
    tools: [],
    serverTools: [{ type: 'web_search_20250305' }],
  });
  expect(resultsOf(client.lines)[0]?.content).toContain('Looms weave.');
});

test('[PRM-15] the host is offered a rule for the host of a page', async () => {
  const questions: unknown[] = [];
  const url = 'https://docs.example.com/x';
  const house = createHouse([[toolUse('WebFetch', { url, prompt: 'what?' })], 'Done.']);
  const client = house.connect(
    { permissionPromptTool: 'stdio' },
    {
      answer(request) {
        questions.push(request);
        return { behavior: 'deny', message: 'No.' };
      },
    },
  );
  await client.ask('go');
  expect(questions[0]).toMatchObject({
    tool_name: 'WebFetch',
    permission_suggestions: [{ type: 'addRules', rules: [{ ruleContent: 'domain:docs.example.com' }] }],
  });
});
