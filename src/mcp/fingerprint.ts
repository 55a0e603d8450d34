import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../util/json.ts';

/** A hash to which an approval is bound: the tool's description and input schema, independent of the order of keys. */
export function toolFingerprint({
  description,
  inputSchema,
}: {
  description: string;
  inputSchema: JsonObject;
}): string {
  return createHash('sha256')
    .update(JSON.stringify([description, sorted(inputSchema)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key])]);
}
