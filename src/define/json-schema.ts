import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/** Checks a value and returns a problem for every wrong field. Empty: the value is valid. */
export type Validate = (value: unknown) => string[];

export interface SchemaUse {
  /** The name of the whole value in a problem. */
  subject?: string;
  /** Fills the schema's defaults into the value that is checked. */
  fillDefaults?: boolean;
}

/**
 * Compiles a JSON Schema of a user. The validator is loaded only here, because most runs need none. Throws
 * `invalid_option` for an invalid schema.
 */
export async function compileJsonSchema(schema: JsonObject, use: SchemaUse = {}): Promise<Validate> {
  const { subject = 'the output', fillDefaults: useDefaults = false } = use;
  const Ajv2020 = await loadValidator();
  // Unknown keywords and formats are allowed. `$schema` would make the validator look for a meta-schema that it may not
  // have, and the drafts agree on the common keywords.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, messages: true, useDefaults });
  const { $schema: _, ...rest } = schema;
  try {
    const validate = ajv.compile(rest);
    return (value) => (validate(value) ? [] : (validate.errors ?? []).map((error) => problem(error, subject)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HeddleError('invalid_option', `The JSON schema cannot be used: ${reason}`, { cause });
  }
}

/** CommonJS: Node and bundlers put its export in different places. */
async function loadValidator(): Promise<typeof import('ajv/dist/2020.js').Ajv2020> {
  const module = await import('ajv/dist/2020.js');
  return module.Ajv2020 ?? module.default.Ajv2020;
}

interface SchemaError {
  instancePath: string;
  keyword: string;
  params: JsonObject;
  message?: string;
}

function problem(error: SchemaError, subject: string): string {
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const extra = error.keyword === 'additionalProperties' ? ` (${String(error.params.additionalProperty)})` : '';
  const choices = Array.isArray(error.params.allowedValues) ? `: ${error.params.allowedValues.join(', ')}` : '';
  return `${field || subject} ${error.message ?? 'is not valid'}${extra}${choices}`;
}
