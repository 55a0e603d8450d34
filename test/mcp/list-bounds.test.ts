import { expect, test } from 'vitest';
import { McpClient } from '../../src/mcp/client.ts';
import { listPrompts } from '../../src/mcp/prompts.ts';
import { listResources } from '../../src/mcp/resources.ts';
import type { JsonObject } from '../../src/util/json.ts';

const signal = new AbortController().signal;

/** A client of a server with these lists, and what it said of what it does not take. */
function clientOf(lists: JsonObject, manifest?: { toolsListResult: unknown }) {
  const leftOut: string[] = [];
  const results: JsonObject = {
    initialize: { capabilities: { tools: {}, prompts: {}, resources: {} } },
    'resources/templates/list': { resourceTemplates: [] },
    ...lists,
  };
  const client = new McpClient({
    link: {
      request: async ({ method }) => ({ result: results[method] }),
      notify: async () => {},
      close: async () => {},
    },
    timeoutMs: 1000,
    ...(manifest && { manifest }),
    onListChanged: () => {},
    onLeftOut: (what) => leftOut.push(what),
  });
  return { client, leftOut };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `n${at}`, uri: `doc://${at}` }));

test('of each kind the first 1,000 are taken, and the rest is told once', async () => {
  const items = many(3000);
  const { client, leftOut } = clientOf({
    'tools/list': { tools: items },
    'prompts/list': { prompts: items },
    'resources/list': { resources: items },
  });
  await client.initialize(signal);
  for (let reading = 0; reading < 2; reading++) {
    expect(await client.listTools(signal)).toHaveLength(1000);
    expect(await listPrompts(client, signal)).toHaveLength(1000);
    expect(await listResources(client, signal)).toHaveLength(1000);
  }
  expect(leftOut).toEqual(
    ['tools', 'prompts', 'resources'].map((kind) => `has more than 1000 ${kind}: the others are left out`),
  );
});

test('exactly 1,000 are no reason to say anything', async () => {
  const { client, leftOut } = clientOf({ 'tools/list': { tools: many(1000) } });
  expect(await client.listTools(signal)).toHaveLength(1000);
  expect(leftOut).toEqual([]);
});

test('more pages than are read are told', async () => {
  let page = 0;
  const leftOut: string[] = [];
  const client = new McpClient({
    link: {
      request: async () => ({ result: { tools: [{ name: `t${page}` }], nextCursor: `p${++page}` } }),
      notify: async () => {},
      close: async () => {},
    },
    timeoutMs: 1000,
    onListChanged: () => {},
    onLeftOut: (what) => leftOut.push(what),
  });
  expect(await client.listTools(signal)).toHaveLength(100);
  expect(leftOut).toEqual(['answers tools/list with more than 100 pages: the others are not read']);
});

/** An object with as many objects inside each other. */
const nested = (levels: number): JsonObject => (levels === 0 ? {} : { a: nested(levels - 1) });

test.each([
  ['a schema over 256 KB', { name: 'big', inputSchema: { properties: {}, $comment: 'x'.repeat(256 * 1024) } }],
  ['a schema that is too deep', { name: 'big', inputSchema: nested(200) }],
  [
    'a schema that no stack holds',
    { name: 'big', inputSchema: JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) },
  ],
  ['a name without end', { name: 'x'.repeat(300_000) }],
])('a tool with %s is left out, and the others are there', async (_what, big) => {
  const tools = [{ name: 'a', inputSchema: nested(50) }, big, { name: 'b' }, big];
  const told = ['has tools that are too large: those over 262144 characters or 100 levels of JSON are left out'];
  const asked = clientOf({ 'tools/list': { tools } });
  expect((await asked.client.listTools(signal)).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(asked.leftOut).toEqual(told);
  const known = clientOf({}, { toolsListResult: { tools } });
  expect((await known.client.listTools(signal)).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(known.leftOut).toEqual(told);
});

test('long descriptions are cut, with a mark', async () => {
  const described = [{ name: 'a', uri: 'doc://1', description: 'x'.repeat(1_000_000) }];
  const { client } = clientOf({
    'tools/list': { tools: described },
    'prompts/list': { prompts: described },
    'resources/list': { resources: described },
  });
  await client.initialize(signal);
  const lists = [
    await client.listTools(signal),
    await listPrompts(client, signal),
    await listResources(client, signal),
  ];
  const cut = `${'x'.repeat(10_000)}\n[… cut here …]`;
  expect(lists.map(([first]) => first?.description === cut)).toEqual([true, true, true]);
});
