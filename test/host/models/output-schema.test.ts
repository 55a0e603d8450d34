import { describe, expect, test } from 'vitest';
import { structuredSetting } from '../../../src/host/models/output-schema.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { createHouse, resultsOf } from '../support.ts';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, n: { type: 'number' } },
  required: ['name', 'n'],
  additionalProperties: false,
};
const jsonSchema = JSON.stringify(schema);
const handIn = (input: Record<string, unknown>) => toolUse('StructuredOutput', input);

describe('the setting', () => {
  test('takes a schema or the JSON text of one', async () => {
    expect((await structuredSetting(schema)).tool.input.json).toEqual(schema);
    expect((await structuredSetting(jsonSchema)).tool.input.json).toEqual(schema);
  });

  test.each(['{"type":', '[]', '"object"', 'null', '', 5, { type: 'banana' }])('%j is refused', async (given) => {
    await expect(structuredSetting(given)).rejects.toMatchObject({ code: 'invalid_option' });
  });

  test('what is handed in belongs to the turn that began last', async () => {
    const setting = await structuredSetting(schema);
    const first = setting.begin();
    const second = setting.begin();
    // No context: the tool touches nothing.
    await setting.tool.run({ name: 'Ada', n: 1 }, undefined as never);
    expect(first.output).toBeNull();
    expect(second.output).toEqual({ name: 'Ada', n: 1 });
  });
});

describe('a session whose answers have a shape', () => {
  test('[OPT-23, FLD-29, K29] hands in the output with the result, and as its text', async () => {
    const house = createHouse([handIn({ name: 'Ada', n: 1 })]);
    const client = house.connect({ jsonSchema });
    const result = await client.ask('go');
    expect(result).toMatchObject({ subtype: 'success', is_error: false, structured_output: { name: 'Ada', n: 1 } });
    expect(JSON.parse(String((result as { result?: string }).result))).toEqual({ name: 'Ada', n: 1 });
    expect(client.of('system/init')[0]?.tools).toContain('StructuredOutput');
    expect(house.model.requests[0]?.tools.at(-1)).toMatchObject({ name: 'StructuredOutput', input_schema: schema });
  });

  test('[FLG-07, K29] an output that does not fit is named field by field, and asked for again', async () => {
    const client = createHouse([handIn({ name: 5, x: 1 }), handIn({ name: 'Ada', n: 1 })]).connect({ jsonSchema });
    expect(await client.ask('go')).toMatchObject({ structured_output: { name: 'Ada', n: 1 } });
    const [refused] = resultsOf(client.lines);
    for (const problem of ["required property 'n'", '(x)', 'name must be string']) {
      expect(refused?.content).toContain(problem);
    }
  });

  test('[MSG-16, K29] never one that fits: an error that keeps the last text', async () => {
    const client = createHouse(() => 'It is Ada.').connect({ jsonSchema });
    const result = await client.ask('go');
    expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
    expect((result as { errors?: string[] }).errors?.join()).toContain('It is Ada.');
    expect(result).not.toHaveProperty('structured_output');
  });

  test('[K7] needs no permission and no other tool', async () => {
    const house = createHouse([handIn({ name: 'Ada', n: 1 })]);
    const result = await house.connect({ jsonSchema, tools: [], permissionMode: 'plan' }).ask('go');
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
  });

  test('each turn needs an output of its own', async () => {
    const house = createHouse([handIn({ name: 'Ada', n: 1 }), handIn({ name: 'Bob', n: 2 })]);
    const client = house.connect({ jsonSchema });
    await client.ask('1');
    expect(await client.ask('2')).toMatchObject({ structured_output: { name: 'Bob', n: 2 } });
  });

  test('[FLD-29] without a schema there is no such field', async () => {
    expect(await createHouse(['fine']).connect().ask('go')).not.toHaveProperty('structured_output');
  });

  test('a host may give the schema with initialize; one that is none is an error', async () => {
    const house = createHouse([handIn({ name: 'Ada', n: 1 })]);
    const client = house.connect();
    expect(await client.control({ subtype: 'initialize', jsonSchema: schema })).toMatchObject({ subtype: 'success' });
    expect(await client.ask('go')).toMatchObject({ structured_output: { name: 'Ada', n: 1 } });
    const other = house.connect();
    const refused = await other.control({ subtype: 'initialize', jsonSchema: { type: 'banana' } });
    expect(refused).toMatchObject({ subtype: 'error', error: expect.stringContaining('schema') });
  });

  test('[K6] a bad schema on the command line ends the run before it starts', async () => {
    const client = createHouse([]).connect({ jsonSchema: '{' });
    expect(await client.end()).toMatchObject({ code: 1 });
    expect(client.lines).toEqual([]);
  });
});

test.each(['string', 'array', ['object', 'null']])(
  '[K29] a schema of type %j is an error at the start',
  async (type) => {
    await expect(structuredSetting({ type })).rejects.toMatchObject({ code: 'invalid_option' });
  },
);

test('a schema without a type describes an object', async () => {
  const { tool } = await structuredSetting({ properties: { n: { type: 'number' } } });
  expect(tool.input.json).toMatchObject({ type: 'object' });
});
