import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  anything,
  arrayOf,
  boolean,
  type InputOf,
  integer,
  number,
  objectInput,
  objectOf,
  oneOf,
  optional,
  recordOf,
  string,
  withDefault,
} from '../../src/tools/input-schema.ts';

const input = objectInput({
  file_path: string('Path'),
  offset: optional(integer('First line', { minimum: 1, maximum: 100 })),
  ratio: optional(number('')),
  replace_all: withDefault(boolean('All'), false),
  output_mode: optional(oneOf(['content', 'count'], 'Mode')),
  todos: optional(arrayOf(objectOf('', { text: string(''), done: withDefault(boolean(''), false) }), 'List')),
});

describe('input schema', () => {
  test('gives the type', () => {
    expectTypeOf<InputOf<typeof input>>().toEqualTypeOf<{
      file_path: string;
      offset?: number;
      ratio?: number;
      replace_all: boolean;
      output_mode?: 'content' | 'count';
      todos?: { text: string; done: boolean }[];
    }>();
  });

  test('gives the JSON Schema', () => {
    expect(input.json).toEqual({
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'Path' },
        offset: { type: 'integer', minimum: 1, maximum: 100, description: 'First line' },
        ratio: { type: 'number' },
        replace_all: { type: 'boolean', description: 'All', default: false },
        output_mode: { type: 'string', enum: ['content', 'count'], description: 'Mode' },
        todos: {
          type: 'array',
          description: 'List',
          items: {
            type: 'object',
            properties: { text: { type: 'string' }, done: { type: 'boolean', default: false } },
            required: ['text'],
            additionalProperties: false,
          },
        },
      },
      required: ['file_path'],
      additionalProperties: false,
    });
  });

  test('fills in defaults and leaves absent fields out', () => {
    expect(input.parse({ file_path: 'a', todos: [{ text: 'x' }] })).toEqual({
      ok: true,
      value: { file_path: 'a', replace_all: false, todos: [{ text: 'x', done: false }] },
    });
  });

  test('accepts numbers and booleans written as strings, and null for what may be absent', () => {
    const loose = { file_path: 'a', offset: '7', ratio: ' 1.5 ', replace_all: 'true', output_mode: null };
    expect(input.parse(loose)).toEqual({
      ok: true,
      value: { file_path: 'a', offset: 7, ratio: 1.5, replace_all: true },
    });
  });

  test.each([
    [{}, 'file_path is missing'],
    [{ file_path: null }, 'file_path must be a string, not null'],
    [{ file_path: 3 }, 'file_path must be a string, not 3'],
    [{ file_path: 'a', offset: 0 }, 'offset must be at least 1'],
    [{ file_path: 'a', offset: 101 }, 'offset must be at most 100'],
    [{ file_path: 'a', offset: 1.5 }, 'offset must be a whole number, not 1.5'],
    [{ file_path: 'a', offset: 'ten' }, 'offset must be a whole number, not the string "ten"'],
    [{ file_path: 'a', ratio: '' }, 'ratio must be a number, not the string ""'],
    [{ file_path: 'a', replace_all: 'yes' }, 'replace_all must be a boolean, not the string "yes"'],
    [{ file_path: 'a', output_mode: 'x' }, 'output_mode must be one of content, count'],
    [{ file_path: 'a', todos: {} }, 'todos must be an array, not an object'],
    [{ file_path: 'a', todos: [{ text: 'x' }, { text: [] }] }, 'todos[1].text must be a string, not an array'],
    [{ file_path: 'a', todos: [{ text: 'x', id: 1 }] }, 'todos[0].id is not a known field (known: text, done)'],
    ['text', 'The input must be an object, not the string "text"'],
    [[], 'The input must be an object, not an array'],
    [null, 'The input must be an object, not null'],
  ])('[M-10] refuses %j', (value, problem) => {
    expect(input.parse(value)).toEqual({ ok: false, problems: [problem] });
  });

  test('names every problem, not only the first', () => {
    const result = input.parse({ cmd: 'x', offset: 'y' });
    expect(result).toMatchObject({ ok: false, problems: { length: 3 } });
  });

  test.each(['__proto__', 'constructor', 'toString'])('[M-10] refuses the field %s', (key) => {
    const hostile: unknown = JSON.parse(`{"file_path":"a","${key}":{"offset":1}}`);
    const result = input.parse(hostile);
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).toContain(`${key} is not a known field`);
  });

  test('[M-10] takes nothing from the prototype', () => {
    expect(input.parse(Object.create({ file_path: 'inherited' })).ok).toBe(false);
  });
});

describe('lists and records', () => {
  const bounded = objectInput({ picks: arrayOf(string(''), 'Picks', { minItems: 1, maxItems: 2 }) });
  const record = objectInput({ sizes: recordOf(integer(''), 'Sizes'), more: optional(recordOf(anything(''), '')) });

  test('show their bounds and what they hold', () => {
    expect(bounded.json.properties).toEqual({
      picks: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, description: 'Picks' },
    });
    expect(record.json.properties).toMatchObject({
      sizes: { type: 'object', additionalProperties: { type: 'integer' }, description: 'Sizes' },
      more: { type: 'object', additionalProperties: {} },
    });
  });

  test.each([
    [bounded, { picks: [] }, 'picks must have at least 1 items, not 0'],
    [bounded, { picks: ['a', 'b', 'c'] }, 'picks must have at most 2 items, not 3'],
    [record, { sizes: { a: 1, b: 'x' } }, 'sizes.b must be a whole number, not the string "x"'],
    [record, { sizes: [] }, 'sizes must be an object, not an array'],
  ])('[M-10] refuse what does not fit: %#', (schema, value, problem) => {
    expect(schema.parse(value)).toEqual({ ok: false, problems: [problem] });
  });

  test('[M-10] a key named like a prototype is a key', () => {
    const parsed = record.parse(JSON.parse('{"sizes":{"__proto__":1,"constructor":2}}'));
    const { sizes } = parsed.ok ? parsed.value : { sizes: {} };
    expect(Object.keys(sizes)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(sizes)).toBe(Object.prototype);
  });

  test('anything is kept as it is', () => {
    const value = { sizes: {}, more: { deep: [{ a: null }] } };
    expect(record.parse(value)).toEqual({ ok: true, value });
  });
});

describe('an input that keeps what it does not know', () => {
  const open = objectInput({ plan: optional(string('')) }, { others: 'keep' });

  test('says so, and checks only what it knows', () => {
    expect(open.json).toMatchObject({ additionalProperties: true });
    expect(open.parse({ plan: 'x', more: [1] })).toEqual({ ok: true, value: { plan: 'x', more: [1] } });
    expect(open.parse({ plan: 5, more: 1 })).toEqual({ ok: false, problems: ['plan must be a string, not 5'] });
  });

  test('[M-10] cannot be given another prototype', () => {
    const parsed = open.parse(JSON.parse('{"__proto__":{"plan":"x"}}'));
    const value: object = parsed.ok ? parsed.value : {};
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('plan' in value).toBe(false);
  });
});
