import { isObject, type JsonObject } from '../util/json.ts';
import type { OutputFormat } from './option-types.ts';

/** Whether a format is, or has, a schema of zod: known by its marks, so that none has to be loaded. */
export function zodIn(format: unknown): JsonObject | null {
  if (isZod(format)) return format;
  return isObject(format) && isZod(format.schema) ? format.schema : null;
}

/** The JSON Schema of a format that is none of zod. */
export function jsonSchemaIn(format: OutputFormat | undefined): JsonObject | undefined {
  return format && zodIn(format) === null ? ((format as JsonObject).schema as JsonObject) : undefined;
}

export function isZod(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return isObject(value._zod) || (isObject(value._def) && typeof value._def.typeName === 'string');
}
