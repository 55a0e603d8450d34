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

/** Works on the schema's own parts, so that it may come from another copy of zod 4, or from its small sibling. */
export function readZod4(source: ZodSource): ZodSchema {
  const schema = 'schema' in source ? (source.schema as unknown as $ZodType) : objectOf(source.shape);
  // The words of problems, where nobody has chosen any; a schema's own words go before.
  const words = { error: locales.en().localeError };
  return {
    // As the model sees it: a field with a default may be absent. What no JSON can express is left open.
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
