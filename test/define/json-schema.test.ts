import { describe, expect, test } from 'vitest';
import { compileJsonSchema } from '../../src/define/json-schema.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    role: { enum: ['weaver', 'dyer'] },
    tags: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'number' } } } },
  },
  required: ['name'],
  additionalProperties: false,
};

describe('a JSON schema', () => {
  test('takes what fits', async () => {
    const validate = await compileJsonSchema(person);
    expect(validate({ name: 'Ada', role: 'weaver', tags: [{ id: 1 }] })).toEqual([]);
  });

  test('names every field that does not, and what it may be', async () => {
    const validate = await compileJsonSchema(person);
    const problems = validate({ role: 'king', tags: [{ id: 1 }, {}], age: 5 });
    expect(problems).toEqual(
      expect.arrayContaining([
        "the output must have required property 'name'",
        expect.stringMatching(/^the output must NOT have additional properties \(age\)$/),
        expect.stringMatching(/^role must be equal to one of the allowed values: weaver, dyer$/),
        "tags.1 must have required property 'id'",
      ]),
    );
    expect(problems).toHaveLength(4);
    expect(validate('text')).toEqual(['the output must be object']);
  });

  test('the same check can be used again', async () => {
    const validate = await compileJsonSchema(person);
    expect(validate({})).toHaveLength(1);
    expect(validate({ name: 'Ada' })).toEqual([]);
  });

  test.each([
    ['of any draft', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
    ['with an unknown draft', { $schema: 'https://example.org/mine', type: 'object' }],
    ['with definitions', { $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a' } } }],
    [
      'with older definitions',
      { definitions: { a: { type: 'string' } }, properties: { a: { $ref: '#/definitions/a' } } },
    ],
    ['with unknown keywords and formats', { properties: { a: { format: 'colour', 'x-hint': 1 } } }],
  ])('%s', async (_, schema) => {
    const validate = await compileJsonSchema(schema);
    expect(validate({ a: 'x' })).toEqual([]);
  });

  test('fills in defaults where it is asked to, and calls the value as it is told', async () => {
    const schema = { type: 'object', properties: { size: { type: 'integer', default: 3 } } };
    const [filled, plain] = [{}, {}];
    expect((await compileJsonSchema(schema, { fillDefaults: true }))(filled)).toEqual([]);
    expect((await compileJsonSchema(schema))(plain)).toEqual([]);
    expect([filled, plain]).toEqual([{ size: 3 }, {}]);
    expect((await compileJsonSchema(schema, { subject: 'the input' }))(5)).toEqual(['the input must be object']);
  });

  test('the schema is not changed', async () => {
    const schema = { $schema: 'https://example.org/mine', type: 'object' };
    await compileJsonSchema(schema);
    expect(schema).toHaveProperty('$schema');
  });

  test.each([
    ['an unknown type', { type: 'banana' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['properties that are none', { properties: 5 }],
  ])('%s is refused with the reason', async (_, schema) => {
    await expect(compileJsonSchema(schema)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(/^The JSON schema cannot be used: ./),
    });
  });
});
