import { describe, expect, test } from 'vitest';
import { McpClient } from '../../src/mcp/client.ts';
import {
  argumentHint,
  getPrompt,
  listPrompts,
  type McpPromptInfo,
  namedPrompts,
  readArguments,
} from '../../src/mcp/prompts.ts';
import type { JsonObject } from '../../src/util/json.ts';

const signal = new AbortController().signal;

async function clientOf(answers: Record<string, JsonObject>) {
  const client = new McpClient({
    link: {
      request: async ({ method }) => ({ result: answers[method] ?? {} }),
      notify: async () => {},
      close: async () => {},
    },
    timeoutMs: 1000,
    onListChanged: () => {},
  });
  await client.initialize(signal);
  return client;
}

const has = { initialize: { capabilities: { prompts: {} } } };

const info = (...args: [name: string, required: boolean][]): McpPromptInfo => ({
  name: 'review',
  description: '',
  arguments: args.map(([name, required]) => ({ name, required })),
});

describe('prompts of a server', () => {
  test('are listed with their arguments; what is none is left out', async () => {
    const prompts = [{ name: 'a', title: 'A', arguments: [{ name: 'x', required: true }, {}] }, { name: '' }, 5];
    expect(await listPrompts(await clientOf({ ...has, 'prompts/list': { prompts } }), signal)).toEqual([
      { name: 'a', description: 'A', arguments: [{ name: 'x', required: true }] },
    ]);
    expect(await listPrompts(await clientOf({ 'prompts/list': { prompts } }), signal)).toEqual([]);
  });

  test('have valid names; of two with one name the first stays', () => {
    const [first, second] = [info(), { ...info(), name: 'review!' }];
    const named = namedPrompts([{ name: 'my docs', prompts: [first, second, { ...info(), name: 'review?' }] }]);
    expect([...named]).toEqual([
      ['mcp__my_docs__review', { name: 'mcp__my_docs__review', server: 'my docs', info: first }],
      ['mcp__my_docs__review_', { name: 'mcp__my_docs__review_', server: 'my docs', info: second }],
    ]);
  });

  test('are one text, whatever they consist of', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Look at this:' } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'a://b', text: 'the resource' } } },
      { role: 'assistant', content: { type: 'text', text: 'I see.' } },
      { role: 'user', content: { type: 'image', data: 'xx', mimeType: 'image/png' } },
      'nonsense',
    ];
    const client = await clientOf({ ...has, 'prompts/get': { messages } });
    expect(await getPrompt(client, { name: 'review', args: {} }, signal)).toBe(
      'Look at this:\n\nthe resource\n\nYou answered:\nI see.\n\n[image, image/png: not shown]',
    );
  });
});

describe('the words behind a command', () => {
  test.each<[string, McpPromptInfo, Record<string, string>]>([
    ['', info(), {}],
    ['ignored', info(), {}],
    ['one two three', info(['a', true], ['b', false]), { a: 'one', b: 'two three' }],
    ['"one two" \'three four\'', info(['a', true], ['b', false]), { a: 'one two', b: 'three four' }],
    ['one', info(['a', true], ['b', false]), { a: 'one' }],
    ['  ', info(['a', false]), {}],
  ])('%j are the arguments', (text, prompt, args) => {
    expect(readArguments(text, prompt)).toEqual(args);
  });

  test('must have what the prompt needs', () => {
    const prompt = info(['a', true], ['b', true], ['c', false]);
    expect(() => readArguments('one', prompt)).toThrow('it needs <a> <b> [c]');
    expect(argumentHint(prompt)).toBe('<a> <b> [c]');
  });
});
