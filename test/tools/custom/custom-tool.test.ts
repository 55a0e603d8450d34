import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import * as z4 from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { type CustomTool, type HandlerResult, tool } from '../../../src/define/tool.ts';
import { nameProblem, RESERVED_NAMES } from '../../../src/define/tool-name.ts';
import { builtinTools } from '../../../src/tools/builtin-tools.ts';
import { loadCustomTools } from '../../../src/tools/custom/load-tools.ts';
import { taskTools } from '../../../src/tools/task-list/task-tools.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

async function load(definition: CustomTool): Promise<Tool> {
  const [loaded] = await loadCustomTools([definition]);
  return loaded as Tool;
}

const returning = (result: unknown) => load(tool('t', '', {}, () => result as HandlerResult));
const run = async (definition: CustomTool, input: object) => bench.run(await load(definition), input);
const problemsOf = (loaded: Tool, input: unknown) => {
  const parsed = loaded.input.parse(input);
  return parsed.ok ? [] : parsed.problems;
};

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The same input in every form that a schema may have. */
const SCHEMAS: [string, CustomTool['inputSchema']][] = [
  ['the shape of a zod 4 object', { city: z4.string().describe('Where'), days: z4.number().int().default(3) }],
  ['a zod 4 object', z4.object({ city: z4.string().describe('Where'), days: z4.number().int().default(3) })],
  ['a zod 4 object of the small kind', mini.object({ city: mini.string(), days: mini._default(mini.int(), 3) })],
  ['the shape of a zod 3 object', { city: z3.string().describe('Where'), days: z3.number().int().default(3) }],
  ['a zod 3 object', z3.object({ city: z3.string().describe('Where'), days: z3.number().int().default(3) })],
  [
    'a JSON Schema',
    {
      type: 'object',
      properties: { city: { type: 'string', description: 'Where' }, days: { type: 'integer', default: 3 } },
      required: ['city'],
    },
  ],
  ['a JSON Schema without a type', { properties: { city: {}, days: { default: 3 } }, required: ['city'] }],
];

describe.each(SCHEMAS)('[MCP-05, MCP-07] an input given as %s', (what, schema) => {
  test('is shown to the model as a JSON Schema, in which defaults may be left out', async () => {
    const { input } = await load(tool('weather', 'd', schema, () => ''));
    expect(input.json).toMatchObject({ type: 'object', required: ['city'] });
    expect(Object.keys(input.json.properties as object)).toEqual(['city', 'days']);
    if (what.includes('small') || what.includes('without')) return;
    expect(input.json.properties).toMatchObject({
      city: { type: 'string', description: 'Where' },
      days: { default: 3 },
    });
  });

  test('is checked, and the handler gets it with its defaults', async () => {
    const seen: unknown[] = [];
    const weather = tool('weather', 'd', schema, (args) => {
      seen.push(args);
      return 'warm';
    });
    expect(await run(weather, { city: 'Ulm' })).toEqual({ content: 'warm', data: 'warm' });
    expect(seen).toEqual([{ city: 'Ulm', days: 3 }]);
  });

  test.each([[{}], ['text'], [null], [[]]])('[M-10] %j is refused, and the reason names the field', async (input) => {
    const loaded = await load(tool('weather', 'd', schema, () => ''));
    const problems = problemsOf(loaded, input);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      input !== null && !Array.isArray(input) && typeof input === 'object' ? /city/ : /object/,
    );
  });

  test('[M-10] keys that reach for the prototype are refused at any depth', async () => {
    const loaded = await load(tool('weather', 'd', schema, () => ''));
    expect(problemsOf(loaded, JSON.parse('{"city":"x","__proto__":{"days":9}}'))).toEqual([
      '__proto__ is not a known field',
    ]);
    expect(problemsOf(loaded, JSON.parse('{"city":"x","more":[{"__proto__":1}]}'))).toHaveLength(1);
  });
});

describe('an input', () => {
  test('has words for its problems even where no locale was chosen', async () => {
    const schema = mini.object({ name: mini.string().check(mini.minLength(3)) });
    const loaded = await load(tool('t', '', schema, () => ''));
    expect(problemsOf(loaded, { name: 'ab' })).toEqual([expect.stringMatching(/^name: Too small: .*3 characters/)]);
    expect(problemsOf(loaded, { name: 5 })).toEqual([expect.stringMatching(/^name: .*expected string/)]);
  });

  test('is transformed once, for the handler; what is stored and checked again stays as it came', async () => {
    const seen: unknown[] = [];
    const shape = {
      when: z4.string().transform((text) => new Date(text)),
      tags: z4.string().transform((t) => t.split(',')),
    };
    const loaded = await load(tool('t', '', shape, (args) => JSON.stringify([seen.push(args)])));
    const input = { when: '2026-01-02', tags: 'a,b' };
    expect(loaded.input.parse(input)).toEqual({ ok: true, value: input });
    expect(loaded.input.json).toMatchObject({ properties: { when: { type: 'string' } } });
    await bench.run(loaded, input);
    expect(seen).toEqual([{ when: new Date('2026-01-02'), tags: ['a', 'b'] }]);
  });

  test.each([
    ['zod 4', { name: z4.string().refine(async (name) => name !== 'bad', 'is taken') }],
    ['zod 3', { name: z3.string().refine(async (name) => name !== 'bad', 'is taken') }],
  ])('whose check of %s needs a promise is checked when the call runs', async (_, shape) => {
    const taken = tool('t', '', shape as JsonObject, () => 'free');
    expect(await run(taken, { name: 'good' })).toMatchObject({ content: 'free' });
    await expect(run(taken, { name: 'bad' })).rejects.toMatchObject({
      wrap: true,
      message: expect.stringContaining('name: is taken'),
    });
  });

  test('without fields takes none', async () => {
    const loaded = await load(tool('t', '', {}, () => ''));
    expect(loaded.input.json).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(problemsOf(loaded, { x: 1 })).toHaveLength(1);
  });

  test.each<[string, unknown, RegExp]>([
    ['a zod schema that is no object', z4.string(), /must describe an object/],
    ['a zod 3 schema that is no object', z3.array(z3.string()), /must describe an object/],
    ['fields of two versions', { a: z4.string(), b: z3.string() }, /one version of zod, and b is not/],
    [
      'a field that is no schema',
      { a: z4.string(), b: 'text' },
      /'b' is a string, and the other fields are schemas of zod/,
    ],
    ['a JSON Schema of a list', { type: 'array' }, /must describe an object, not "array"/],
    ['a JSON Schema that means nothing', { type: 'object', properties: { a: { type: 'banana' } } }, /cannot be used/],
    ['no schema at all', undefined, /must be a zod object/],
  ])('%s is refused with the name of the tool', async (_, schema, reason) => {
    // Made by hand: tool() itself refuses what is no schema at all.
    const refused = load({ ...tool('mine', '', {}, () => ''), inputSchema: schema as JsonObject });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringMatching(reason) });
    await expect(refused).rejects.toThrow('The input of the tool mine cannot be used');
  });
});

describe('a result', () => {
  const png = { type: 'image', data: PNG, mimeType: 'image/png' };

  test('[MCP-18] of MCP content becomes blocks', async () => {
    const content = [
      { type: 'text', text: 'hello' },
      { type: 'text', text: '' },
      png,
      { type: 'image', data: 'x', mimeType: 'image/tiff' },
      { type: 'audio', data: 'x', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: PNG, mimeType: 'image/png' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: 'aGk=' } },
      { type: 'resource_link', uri: 'file:///d', name: 'd' },
    ];
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const text = (said: string) => ({ type: 'text', text: said });
    const blocks = [
      text('hello'),
      image,
      text('[image, image/tiff: not shown]'),
      text('[audio, audio/wav: not shown]'),
      text('inside'),
      image,
      text('[file:///c, unknown type: not shown]'),
      text('[d: file:///d]'),
    ];
    expect(await bench.run(await returning({ content }), {})).toEqual({ content: blocks, data: blocks });
  });

  test('with structured content hands it to the host, and to the model where there is nothing else', async () => {
    const structuredContent = { degrees: 21 };
    expect(await bench.run(await returning({ content: [], structuredContent }), {})).toEqual({
      content: [{ type: 'text', text: '{"degrees":21}' }],
      data: { content: [{ type: 'text', text: '{"degrees":21}' }], structuredContent },
    });
    const both = await returning({ content: [{ type: 'text', text: 'warm' }], structuredContent });
    expect((await bench.run(both, {})).content).toEqual([{ type: 'text', text: 'warm' }]);
  });

  test.each(['', { content: [] }, {}, { content: [{ type: 'text', text: '' }] }])(
    'of nothing says so: %j',
    async (nothing) => {
      expect(await bench.run(await returning(nothing), {})).toMatchObject({ content: '(no output)' });
    },
  );

  test('keeps pictures that are none out of the conversation', async () => {
    const broken = { type: 'image', data: 'not base64 at all!', mimeType: 'image/png' };
    const { content } = await bench.run(await returning({ content: [broken, { ...broken, data: '' }] }), {});
    expect(content).toEqual(
      Array.from({ length: 2 }, () => ({ type: 'text', text: '[image, image/png: damaged, not shown]' })),
    );
  });

  test('keeps pictures out of the conversation that are too large for it', async () => {
    const wide = Buffer.from(PNG, 'base64');
    wide.writeUInt32BE(9000, 16);
    const picture = { type: 'image', data: wide.toString('base64'), mimeType: 'image/png' };
    const { content } = await bench.run(await returning({ content: [picture] }), {});
    expect(content).toEqual([{ type: 'text', text: '[image, 9000×1: too large, not shown]' }]);
  });

  test('that JSON cannot hold is an error, not the end of the turn', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const structuredContent of [{ a: 1n }, circle]) {
      const result = bench.run(await returning({ content: [], structuredContent }), {});
      await expect(result).rejects.toMatchObject({ name: 'ToolError', message: expect.stringContaining('not JSON') });
    }
  });

  test('that is an error is one', async () => {
    const failing = await returning({ content: [{ type: 'text', text: 'no such city' }, png], isError: true });
    await expect(bench.run(failing, {})).rejects.toMatchObject({ name: 'ToolError', message: 'no such city' });
    await expect(bench.run(await returning({ isError: true }), {})).rejects.toThrow('failed without saying why');
  });

  test.each([undefined, null, 5, [], { content: 'text' }, { content: [5] }, { content: [{ type: 'text', text: 5 }] }])(
    'that cannot be read is an error: %j',
    async (odd) => {
      await expect(bench.run(await returning(odd), {})).rejects.toThrow('did not return a result that can be read');
    },
  );

  test('[K34] of many blocks and much structure is bounded as a whole', async () => {
    const text = { type: 'text', text: 'x'.repeat(150_000) };
    const many = { content: Array(20).fill(text), structuredContent: { numbers: 'y'.repeat(400_000) } };
    const { content, data } = await bench.run(await returning(many), {});
    expect(content).toHaveLength(20);
    expect(JSON.stringify(data).length).toBeLessThan(810_000);
    expect(data).toMatchObject({ structuredContent: many.structuredContent });
    expect((data as { content: unknown[] }).content).toEqual([
      text,
      text,
      { type: 'text', text: '[… 18 more blocks left out …]' },
    ]);

    const huge = { content: [text], structuredContent: { numbers: 'y'.repeat(900_000) } };
    expect((await bench.run(await returning(huge), {})).data).toEqual({
      content: [text, { type: 'text', text: '[… structuredContent left out: it has 900014 bytes …]' }],
    });
  });

  test('[K34] is bounded for the line, not for the model', async () => {
    const { content, data } = await bench.run(await returning('x'.repeat(250_000)), {});
    expect(content).toHaveLength(250_000);
    expect(String(data).length).toBeLessThan(201_000);
  });
});

describe('a handler', () => {
  test('gets the id of its call and a signal', async () => {
    const handler = vi.fn((_args: object, _extra: object) => 'ok');
    await run(tool('t', '', {}, handler), {});
    expect(handler.mock.calls[0]?.[1]).toEqual({ signal: bench.context.signal, toolUseId: 'toolu_1' });
  });

  test.each([
    [
      'at once',
      () => {
        throw new Error('broken loom');
      },
    ],
    [
      'later',
      async () => {
        throw new Error('broken loom');
      },
    ],
  ])('that throws %s gives an error result with its words', async (_, handler) => {
    await expect(run(tool('t', '', {}, handler), {})).rejects.toMatchObject({
      name: 'ToolError',
      message: 'broken loom',
    });
  });

  test('that hangs is left behind when the turn is interrupted', async () => {
    const abort = new AbortController();
    const hanging = await load(tool('t', '', {}, () => new Promise<string>(() => {})));
    const running = bench.run(hanging, {}, { signal: abort.signal });
    abort.abort(new Aborted('interrupt'));
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a tool of the user', () => {
  test('[B-025] is asked for, whatever it says of itself; the hint only lets it run beside others', async () => {
    const plain = await load(tool('t', '', {}, () => ''));
    const reading = await load(tool('t', '', {}, () => '', { annotations: { readOnlyHint: true }, alwaysLoad: true }));
    for (const each of [plain, reading]) {
      expect(each.access({}, bench.context.workspace)).toEqual({ kind: 'other' });
    }
    expect([plain.isConcurrencySafe({}), reading.isConcurrencySafe({})]).toEqual([false, true]);
    expect([plain.alwaysLoad, reading.alwaysLoad]).toEqual([undefined, true]);
  });

  test.each(['', 'two words', 'a.b', 'ü', 'x'.repeat(65), '__proto__ '])('[C-4] cannot be named %j', (name) => {
    expect(nameProblem(name)).toMatch(/^A tool cannot be named .* 1 to 64 letters/);
  });

  test.each(['Bash', 'bash', 'Agent', 'TaskCreate', 'StructuredOutput', 'mcp__a__b'])(
    '[C-4] cannot be named %s, which is taken',
    (name) => {
      expect(nameProblem(name)).toContain(`A tool cannot be named ${name}: `);
    },
  );

  test('needs a name and a handler', () => {
    expect(() => tool('', '', {}, () => '')).toThrow('A tool needs a name');
    expect(() => tool('add', '', {}, undefined as never)).toThrow('The tool add needs a handler');
  });

  test('[C-4] no built-in name is forgotten', () => {
    const names = [...builtinTools({ isReadOnly: () => false }), ...taskTools].map(({ name }) => name);
    expect(names.filter((name) => !RESERVED_NAMES.has(name))).toEqual([]);
  });
});

test('[MCP-05] the types of the arguments follow from the schema', () => {
  tool('t', '', { a: z4.string(), b: z4.number().optional(), c: z4.boolean().default(true) }, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: string; c: boolean } & { b?: number | undefined }>();
    return '';
  });
  tool('t', '', z4.object({ a: z4.string().transform(Number) }), (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: number }>();
    return '';
  });
  tool('t', '', { a: z3.string(), b: z3.number().optional() }, (args) => {
    expectTypeOf(args.a).toEqualTypeOf<string>();
    expectTypeOf(args.b).toEqualTypeOf<number | undefined>();
    return '';
  });
  tool('t', '', z3.object({ a: z3.number() }), (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: number }>();
    return '';
  });
  tool('t', '', { type: 'object', properties: { a: { type: 'string' } } }, (args) => {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
    return '';
  });
});
