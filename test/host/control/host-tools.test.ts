import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { tool } from '../../../src/define/tool.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { type Client, createHouse, resultsOf } from '../support.ts';

const inStock = {
  name: 'in_stock',
  description: 'How many bolts there are',
  inputSchema: { type: 'object', properties: { cloth: { type: 'string' } }, required: ['cloth'] },
};
const call = toolUse('in_stock', { cloth: 'linen' }, 'call-1');
const allowed = { allowedTools: ['in_stock'], hostTools: ['in_stock'] };

function initialize(client: Client, tools: unknown): Promise<JsonObject> {
  return client.control({ subtype: 'initialize', hostTools: tools });
}

describe('tools that the host brings with initialize', () => {
  test('are tools of the session under their own names, and the host runs each call', async () => {
    const asked: JsonObject[] = [];
    const house = createHouse([call, 'Twelve.']);
    const client = house.connect(allowed, {
      answer(request) {
        asked.push(request);
        return { content: [{ type: 'text', text: '12 bolts' }] };
      },
    });
    await initialize(client, [inStock]);
    expect(await client.ask('how many?')).toMatchObject({ result: 'Twelve.', permission_denials: [] });
    expect(asked).toEqual([
      { subtype: 'call_tool', name: 'in_stock', input: { cloth: 'linen' }, tool_use_id: 'call-1' },
    ]);
    expect(client.of('system/init')[0]?.tools).toContain('in_stock');
    expect(house.model.requests[0]?.tools.at(-1)).toEqual({
      name: 'in_stock',
      description: 'How many bolts there are',
      input_schema: inStock.inputSchema,
    });
    expect(resultsOf(client.lines)).toMatchObject([{ content: [{ text: '12 bolts' }] }]);
    expect(house.logs.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('a text alone is a result, as that of a function of the engine is; an error is one for the model', async () => {
    const answers = [{ content: '12 bolts' }, { content: 'none left', isError: true }, 7];
    const house = createHouse([
      call,
      toolUse('in_stock', { cloth: 'b' }),
      toolUse('in_stock', { cloth: 'c' }),
      'Done.',
    ]);
    const client = house.connect(allowed, { answer: () => answers.shift() });
    await initialize(client, [inStock]);
    await client.ask('how many?');
    expect(resultsOf(client.lines)).toMatchObject([
      { content: '12 bolts' },
      { content: expect.stringContaining('none left'), is_error: true },
      { content: expect.stringContaining('did not return a result'), is_error: true },
    ]);
  });

  test('[G7] run only with permission', async () => {
    const asked: unknown[] = [];
    const client = createHouse([call, 'Well.']).connect({}, { answer: (request) => void asked.push(request) });
    await initialize(client, [inStock]);
    expect(await client.ask('how many?')).toMatchObject({ permission_denials: [{ tool_name: 'in_stock' }] });
    expect(asked).toEqual([]);
  });

  test('are not called with an input that does not fit', async () => {
    const house = createHouse([toolUse('in_stock', { cloth: 7 }), 'Well.']);
    const client = house.connect(allowed, { answer: () => ({ content: [] }) });
    await initialize(client, [inStock]);
    await client.ask('how many?');
    expect(JSON.stringify(resultsOf(client.lines))).toMatch(/cloth must be string/);
    expect(client.of('control_request')).toEqual([]);
  });

  test('an interrupt withdraws the call', async () => {
    const client = createHouse([call, 'Well.']).connect(allowed, { answer: () => undefined });
    await initialize(client, [inStock]);
    client.say('how many?');
    await client.until(() => client.of('control_request/call_tool').length === 1);
    await client.control({ subtype: 'interrupt' });
    await client.result(0);
    const [request] = client.of('control_request/call_tool');
    expect(client.of('control_cancel_request')).toMatchObject([{ request_id: request?.request_id }]);
  });

  test('stay when the tools of the session are made anew', async () => {
    const house = createHouse([hang()]);
    const client = house.connect(allowed, { answer: () => ({ content: [] }) });
    await initialize(client, [inStock]);
    await client.control({ subtype: 'reload_skills' });
    client.say('go');
    await client.until(() => client.of('system/init').length === 1);
    expect(client.of('system/init')[0]?.tools).toContain('in_stock');
  });

  test.each([
    ['a name of ours', [{ ...inStock, name: 'Bash' }], /A tool cannot be named Bash: that is a built-in tool/],
    ['a name twice', [inStock, inStock], /Two tools are named in_stock/],
    ['no schema', [{ ...inStock, inputSchema: 'none' }], /request\.hostTools\[0\] must be a tool \(inputSchema: /],
    ['a schema of no object', [{ ...inStock, inputSchema: { type: 'string' } }], /in_stock cannot be used/],
    ['no list', { in_stock: inStock }, /request\.hostTools must be a list of tools/],
  ])('%s ends in an error result that says so', async (_what, tools, reason) => {
    const house = createHouse(['Well.']);
    const client = house.connect(allowed);
    await initialize(client, tools);
    const result = await client.ask('how many?');
    expect(result).toMatchObject({ is_error: true });
    expect(result.errors?.join('\n')).toMatch(reason);
    expect(house.model.requests).toEqual([]);
  });

  test('a name that the engine has given away is taken', async () => {
    const own = tool('in_stock', 'Ours', { cloth: z.string() }, () => 'ours');
    const client = createHouse(['Well.'], { tools: [own] }).connect(allowed);
    await initialize(client, [inStock]);
    expect((await client.ask('how many?')).errors?.join('\n')).toMatch(/Two tools are named in_stock/);
  });
});
