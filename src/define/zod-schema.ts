import { isObject, type JsonObject } from '../util/json.ts';
import type { Parsed } from '../util/parsed.ts';

/** A schema of the user's zod, of any version and copy. */
export interface ZodSchema {
  json: JsonObject;
  /** Null when the check needs promises. */
  parse(value: unknown): Parsed<unknown> | null;
  parseAsync(value: unknown): Promise<Parsed<unknown>>;
}

/**
 * Null when it is neither a zod schema nor the shape of an object with such fields. Zod is recognised by its properties
 * and loaded only then, because most runs need none. Rejects with the reason for a schema that cannot be the input of a
 * tool.
 */
export async function readZodSchema(schema: JsonObject): Promise<ZodSchema | null> {
  const version = zodVersion(schema) ?? versionOfShape(schema);
  if (version === null) return null;
  const shape = zodVersion(schema) === null ? schema : null;
  const read = version === 4 ? (await import('./zod-4.ts')).readZod4 : (await import('./zod-3.ts')).readZod3;
  const zod = read(shape === null ? { schema } : { shape });
  if (zod.json.type !== 'object') throw new Error('it must describe an object: use z.object()');
  return zod;
}

/** The source for each version of zod. */
export type ZodSource = { schema: JsonObject } | { shape: JsonObject };

function zodVersion(value: unknown): 3 | 4 | null {
  if (!isObject(value)) return null;
  if (isObject(value._zod)) return 4;
  return isObject(value._def) && typeof value._def.typeName === 'string' ? 3 : null;
}

function versionOfShape(shape: JsonObject): 3 | 4 | null {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, version: zodVersion(field) }));
  const version = fields.find((field) => field.version !== null)?.version ?? null;
  const odd = fields.find((field) => field.version !== version);
  if (version === null || odd === undefined) return version;
  throw new Error(`all fields must be schemas of one version of zod, and ${odd.name} is not like the others`);
}
