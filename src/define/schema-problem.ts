import { kindOf } from '../util/checks.ts';
import { isObject } from '../util/json.ts';

const EXPECTED = 'a zod object, the shape of one ({ city: z.string() }), or a JSON Schema of an object';

/**
 * Why a value cannot be the input schema of a tool, as far as a check without reading it shows; null when it may be
 * one. Other problems are reported when the schema is read.
 */
export function schemaProblem(schema: unknown): string | null {
  if (!isObject(schema)) return `its third argument must be ${EXPECTED}, got ${kindOf(schema)}`;
  if (isZodLike(schema)) return null;
  const fields = Object.entries(schema);
  if (fields.some(([, value]) => isZodLike(value))) {
    const odd = fields.find(([, value]) => !isZodLike(value));
    return odd ? `'${odd[0]}' is ${kindOf(odd[1])}, and the other fields are schemas of zod` : null;
  }
  const { type } = schema;
  if (type !== undefined && type !== 'object') return `it must describe an object, not ${JSON.stringify(type)}`;
  if (fields.length === 0 || fields.some(([name]) => KEYWORDS.has(name))) return null;
  const [name, value] = fields[0] ?? ['', undefined];
  return `'${name}' is ${kindOf(value)} and no schema; expected ${EXPECTED}`;
}

/** By the properties of zod 4 and 3. */
function isZodLike(value: unknown): boolean {
  return isObject(value) && (isObject(value._zod) || (isObject(value._def) && 'typeName' in value._def));
}

/** Keywords of a JSON Schema for an object; a schema without any of these describes no fields. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties'],
  ...[
    'maxProperties',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    '$ref',
    '$defs',
    'definitions',
    '$schema',
    '$id',
    'const',
  ],
  ...['enum', 'description', 'title', 'default', 'examples'],
]);
