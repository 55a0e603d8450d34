import {
  $ZodObject,
  type $ZodShape,
  type $ZodType,
  locales,
  safeParse,
  safeParseAsync,
  toJSONSchema,
} from 'zod/v4/core';
import type { JsonObject } from '../util/json.ts';
import { toParsed } from './zod-outcome.ts';
import type { ZodSchema, ZodSource } from './zod-schema.ts';

/** Uses only the schema's own parts, so that it may come from another copy of zod 4, or from zod mini. */
export function readZod4(source: ZodSource): ZodSchema {
  const schema = 'schema' in source ? (source.schema as unknown as $ZodType) : objectOf(source.shape);
  // The texts of problems, where the program set none; a schema's own texts win.
  const words = { error: locales.en().localeError };
  return {
    // As the model sees it: a field with a default may be absent. Parts that JSON cannot express accept any value.
    json: toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject,
    parse(value) {
      try {
        return toParsed(safeParse(schema, value, words));
      } catch {
        return null;
      }
    },
    parseAsync: async (value) => toParsed(await safeParseAsync(schema, value, words)),
  };
}

function objectOf(shape: JsonObject): $ZodType {
  return new $ZodObject({ type: 'object', shape: shape as $ZodShape });
}
