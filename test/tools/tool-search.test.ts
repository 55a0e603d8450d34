import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectInput, string } from '../../src/tools/input-schema.ts';
import { createRegistry, type Registry } from '../../src/tools/registry.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createToolSearchTool, toolsToDefer } from '../../src/tools/tool-search.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
let logs: unknown[];
beforeEach(() => {
  bench = createBench();
  logs = [];
});
afterEach(() => bench.dispose());

function fake(name: string, description = `The tool ${name}`, changes: Partial<Tool> = {}): Tool {
  return {
    name,
    description,
    input: objectInput({ text: string('any') }),
    access: () => ({ kind: 'other' }),
    isConcurrencySafe: () => false,
    run: async () => ({ content: `${name} ran`, data: null }),
    ...changes,
  };
}

const read = fake('Read');
const others = [
  fake('send_mail', 'Writes to somebody'),
  fake('listMails', 'Shows the inbox'),
  fake('weather', 'Tells how warm it is outside, by mail order'),
];
const registryOf = (tools: Tool[], names: string[]) => createRegistry(tools, { names, search: createToolSearchTool });
const withSearch = () =>
  registryOf(
    [read, ...others],
    others.map(({ name }) => name),
  );
const sent = (registry: Registry) => registry.apiTools().map(({ name }) => name);
const run = (registry: Registry, name: string, input: object) => {
  const log = (_level: string, message: string, facts: unknown) => logs.push({ message, facts });
  return bench.run(registry.get(name) as Tool, input, { runtime: { ...bench.context.runtime, log } });
};
const search = (registry: Registry, query: string, more = {}) => run(registry, 'ToolSearch', { query, ...more });

describe('deferred tools', () => {
  test('[B-201, B-220] are left out of requests, but exist and are named', () => {
    const registry = withSearch();
    expect(sent(registry)).toEqual(['Read', 'ToolSearch']);
    expect(registry.all().map(({ name }) => name)).toEqual(['Read', 'send_mail', 'listMails', 'weather', 'ToolSearch']);
    expect(registry.get('ToolSearch')?.description).toContain('send_mail, listMails, weather');
    expect(registry.deferred()).toEqual(['send_mail', 'listMails', 'weather']);
  });

  test('[B-220] are part of requests once found, behind the others, and only then the list changes', async () => {
    const registry = withSearch();
    const before = registry.apiTools();
    expect(registry.apiTools()).toBe(before);
    const { content, data } = await search(registry, 'select:weather, send_mail');
    expect(data).toEqual({
      matches: ['send_mail', 'weather'],
      query: 'select:weather, send_mail',
      total_deferred_tools: 3,
    });
    expect(content).toContain('## weather\nTells how warm');
    expect(content).toContain('"properties":{"text"');
    expect(sent(registry)).toEqual(['Read', 'ToolSearch', 'send_mail', 'weather']);
    expect(registry.apiTools().slice(0, 2)).toEqual(before);
    expect(logs).toEqual([{ message: 'Tools were added to the requests', facts: { names: ['send_mail', 'weather'] } }]);
    const after = registry.apiTools();
    await search(registry, 'select:weather');
    expect(registry.apiTools()).toBe(after);
    expect(registry.deferred()).toEqual(['listMails']);
  });

  test('may be called unseen; then they are loaded', async () => {
    const registry = withSearch();
    expect(await run(registry, 'weather', { text: 'x' })).toMatchObject({ content: 'weather ran' });
    expect(sent(registry)).toEqual(['Read', 'ToolSearch', 'weather']);
  });

  test('[M-10] called unseen and wrongly, say where their input is described', () => {
    const registry = withSearch();
    const parse = () => registry.get('weather')?.input.parse({ city: 'x' });
    const hint = 'How weather is called was not loaded yet: call ToolSearch with "select:weather" first';
    expect(parse()).toMatchObject({
      ok: false,
      problems: ['city is not a known field (known: text)', 'text is missing', hint],
    });
    expect(registry.get('Read')?.input.parse({})).toEqual({ ok: false, problems: ['text is missing'] });
  });

  test('without them there is no search', () => {
    expect(registryOf([read], []).get('ToolSearch')).toBeUndefined();
    expect(registryOf([read], ['not_there']).get('ToolSearch')).toBeUndefined();
  });
});

describe('a search', () => {
  const found = async (query: string, more = {}) =>
    ((await search(withSearch(), query, more)).data as { matches: string[] }).matches;

  test.each([
    ['mail', ['send_mail', 'listMails', 'weather']],
    ['MAILS', ['listMails']],
    ['warm outside', ['weather']],
    ['inbox list', ['listMails']],
    ['+inbox mail', ['listMails']],
    ['select:nope', []],
    ['select:constructor,__proto__', []],
    ['', []],
    ['quantum', []],
  ])('for %j', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  test('loads no more than it is asked for', async () => {
    expect(await found('mail', { max_results: 1 })).toEqual(['send_mail']);
  });

  test('that finds nothing says what else to try', async () => {
    const { content } = await search(withSearch(), 'quantum');
    expect(content).toMatch(/^No tool fits "quantum"\. Try/);
  });

  test('names only as many tools as fit', () => {
    const many = Array.from({ length: 1000 }, (_, i) => fake(`a_rather_long_name_${i}`));
    const { description } = createToolSearchTool({ tools: many, load: () => {} });
    expect(description.length).toBeLessThan(4500);
    expect(description).toMatch(/a_rather_long_name_\d+ and \d+ more$/);
  });
});

describe('[B-200, B-201] what is deferred', () => {
  const big = fake('big', 'x'.repeat(41 * 1024));
  const kept = fake('kept', 'y'.repeat(41 * 1024), { alwaysLoad: true });

  test.each([
    [undefined, [...others, kept], []],
    [undefined, [...others, big], ['send_mail', 'listMails', 'weather', 'big']],
    ['auto', [big, kept], ['big']],
    ['true', [...others, kept], ['send_mail', 'listMails', 'weather']],
    ['false', [...others, big], []],
  ])('with ENABLE_TOOL_SEARCH=%s', (setting, tools, names) => {
    expect(toolsToDefer(tools, setting)).toEqual(names);
  });
});
