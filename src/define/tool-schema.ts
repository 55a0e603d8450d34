import { isObject, type JsonObject } from '../util/json.ts';
import type { Parsed } from '../util/parsed.ts';
import { compileJsonSchema } from './json-schema.ts';
import { schemaProblem } from './schema-problem.ts';
import type { ToolSchema } from './tool.ts';
import { readZodSchema, type ZodSchema } from './zod-schema.ts';

/** The input schema of a user's tool. */
export interface CustomSchema {
  /** The schema that the model sees. */
  readonly json: JsonObject;
  parse(value: unknown): Parsed<JsonObject>;
  /**
   * The arguments for the handler. Separate from `parse`, which only checks: an input is stored, shown, and checked
   * again when a permission changed it, and a transformed input would be another input.
   */
  toArgs(input: JsonObject): Promise<Parsed<JsonObject>>;
}

/** Reads the schema argument of `tool`. Rejects with the reason for a schema that does not describe an object. */
export async function readSchema(schema: ToolSchema): Promise<CustomSchema> {
  const problem = schemaProblem(schema);
  if (problem !== null || !isObject(schema)) throw new Error(problem ?? 'it is no object');
  const zod = await readZodSchema(schema);
  return zod ? fromZod(zod) : fromJsonSchema(schema);
}

function fromZod(zod: ZodSchema): CustomSchema {
  return {
    json: zod.json,
    parse: (value) =>
      checked(value, (input) => {
        const parsed = zod.parse(input);
        // Null: the check needs promises, so it happens when the call runs.
        return parsed === null || parsed.ok ? { ok: true, value: input } : parsed;
      }),
    toArgs: async (input) => (await zod.parseAsync(input)) as Parsed<JsonObject>,
  };
}

async function fromJsonSchema(given: JsonObject): Promise<CustomSchema> {
  // A schema without fields accepts none.
  const isEmpty = Object.keys(given).length === 0;
  const { type = 'object' } = given;
  if (type !== 'object') throw new Error(`it must describe an object, not ${JSON.stringify(type)}`);
  const json = { type, ...(isEmpty ? { properties: {}, additionalProperties: false } : given) };
  const validate = await compileJsonSchema(json, { subject: 'the input', fillDefaults: true });
  return {
    json,
    parse: (value) =>
      checked(value, (input) => {
        const filled = structuredClone(input);
        const problems = validate(filled);
        return problems.length === 0 ? { ok: true, value: filled } : { ok: false, problems };
      }),
    toArgs: async (input) => ({ ok: true, value: input }),
  };
}

function checked(value: unknown, check: (input: JsonObject) => Parsed<JsonObject>): Parsed<JsonObject> {
  if (!isObject(value)) return { ok: false, problems: ['the input must be an object'] };
  // Handlers merge and assign their arguments; this key would change a prototype.
  if (hasProtoKey(value)) return { ok: false, problems: ['__proto__ is not a known field'] };
  return check(value);
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey);
}
