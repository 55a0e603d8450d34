import { isObject, type JsonObject } from '../../util/json.ts';
import type { OutputFormat } from './option-types.ts';

/**
 * The zod schema that a format is or contains, else null. Recognised by its properties, so that zod need not be loaded.
 */
export function zodIn(format: unknown): JsonObject | null {
  if (isZod(format)) return format;
  return isObject(format) && isZod(format.schema) ? format.schema : null;
}

/** The JSON Schema of a format without a zod schema. */
export function jsonSchemaIn(format: OutputFormat | undefined): JsonObject | undefined {
  return format && zodIn(format) === null ? ((format as JsonObject).schema as JsonObject) : undefined;
}

export function isZod(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return isObject(value._zod) || (isObject(value._def) && typeof value._def.typeName === 'string');
}
