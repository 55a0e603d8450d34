import { object, type ZodTypeAny } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';
import type { JsonObject } from '../util/json.ts';
import { toParsed } from './zod-outcome.ts';
import type { ZodSchema, ZodSource } from './zod-schema.ts';

/**
 * Reads a schema of zod 3, from whichever copy of zod it comes: this file's copy only makes an object of a shape, whose
 * fields parse themselves. JSON Schema is written by a package, because zod 3 cannot.
 */
export function readZod3(source: ZodSource): ZodSchema {
  const schema = 'schema' in source ? (source.schema as unknown as ZodTypeAny) : object(source.shape as never);
  return {
    // Repeated parts are written out, because not every provider understands references.
    json: zodToJsonSchema(schema, { $refStrategy: 'none', pipeStrategy: 'input' }) as JsonObject,
    parse(value) {
      try {
        return toParsed(schema.safeParse(value));
      } catch {
        return null;
      }
    },
    parseAsync: async (value) => toParsed(await schema.safeParseAsync(value)),
  };
}
