import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ModelQuestion } from '../../../src/tools/model-question.ts';
import { webSearchTool } from '../../../src/tools/web/web-search.ts';
import type { ContentBlock } from '../../../src/wire/api/content.ts';
import { toolServices } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
let questions: ModelQuestion[];

beforeEach(() => {
  bench = createBench();
  questions = [];
});

afterEach(() => bench.dispose());

function search(input: object, blocks: object[] = []) {
  const ask = async (question: ModelQuestion) => {
    questions.push(question);
    return blocks as ContentBlock[];
  };
  return bench.run(webSearchTool, { query: 'looms', ...input }, { service: toolServices({ web: { ask } }) });
}

const text = (words: string) => ({ type: 'text', text: words });
const found = (id: string, ...pages: [string, string][]) => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: pages.map(([title, url]) => ({ type: 'web_search_result', title, url, encrypted_content: 'x' })),
});

test('[B-224] the provider searches; the result is what it says and the links', async () => {
  const { content, data } = await search({}, [
    text('Let me look.'),
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'looms' } },
    found('s1', ['Looms', 'https://a.com/'], ['Weaving', 'https://b.com/']),
    found('s2', ['Looms again', 'https://a.com/']),
    text('Looms '),
    text('weave.'),
  ]);
  expect(content).toBe(
    'Web search for: looms\n\nLet me look.\n\nLooms weave.\n\nLinks:\n- Looms again: https://a.com/\n- Weaving: https://b.com/',
  );
  expect(data).toEqual({
    query: 'looms',
    results: [
      'Let me look.',
      {
        tool_use_id: 's1',
        content: [
          { title: 'Looms', url: 'https://a.com/' },
          { title: 'Weaving', url: 'https://b.com/' },
        ],
      },
      { tool_use_id: 's2', content: [{ title: 'Looms again', url: 'https://a.com/' }] },
      'Looms weave.',
    ],
    durationSeconds: expect.any(Number),
  });
  expect(questions[0]).toMatchObject({
    model: 'main',
    prompt: 'Search the web for: looms',
    serverTools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
  });
});

test('domains narrow it down, one way or the other', async () => {
  await search({ allowed_domains: ['a.com'], blocked_domains: [] });
  expect(questions[0]?.serverTools?.[0]).toMatchObject({ allowed_domains: ['a.com'] });
  expect(questions[0]?.serverTools?.[0]).not.toHaveProperty('blocked_domains');
  await search({ blocked_domains: ['b.com'] });
  expect(questions[1]?.serverTools?.[0]).toMatchObject({ blocked_domains: ['b.com'] });
  await expect(search({ allowed_domains: ['a.com'], blocked_domains: ['b.com'] })).rejects.toMatchObject({
    name: 'ToolError',
    wrap: true,
  });
});

test('errors of the search are told, and so is that nothing was found', async () => {
  const failed = {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
  };
  expect((await search({}, [failed, text('Sorry.')])).content).toContain(
    'The search failed: max_uses_exceeded\nSorry.',
  );
  expect((await search({}, [])).content).toBe('Web search for: looms\n\nNothing was found.');
});

test('needs approval, and its description is short', () => {
  expect(webSearchTool.access({ query: 'x' }, bench.context.workspace)).toEqual({ kind: 'other' });
  expect(webSearchTool.description.length).toBeLessThanOrEqual(600);
});
