import { readZodSchema } from '../../define/zod-schema.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ResultError, ResultMessage } from '../../wire/messages/result.ts';

/** The shape that answers must have, as the agent gets it, and the program's conversion of an answer. */
export interface OutputSchema {
  json: JsonObject;
  /** The result, with its output converted by the program's own schema. */
  read(result: ResultMessage): Promise<ResultMessage>;
}

/** Rejects with `invalid_option` for a schema that does not describe an object, or that JSON Schema cannot express. */
export async function readOutputSchema(schema: JsonObject): Promise<OutputSchema> {
  const zod = await readZodSchema(schema).catch((cause) => {
    const message = `options.outputFormat cannot be used: ${messageOf(cause)}`;
    throw new HeddleError('invalid_option', message, { facts: { option: 'outputFormat' }, cause });
  });
  if (!zod) throw new Error('not a schema of zod');
  return {
    json: zod.json,
    async read(result) {
      if (result.subtype !== 'success' || result.structured_output === undefined) return result;
      const { structured_output: output, ...rest } = result;
      const parsed = await zod.parseAsync(output);
      if (parsed.ok) return { ...rest, structured_output: parsed.value };
      return refused(rest, parsed.problems);
    },
  };
}

/** JSON Schema cannot express all that zod can: an output that only zod refuses makes the result an error. */
function refused(result: ResultMessage, problems: readonly string[]): ResultError {
  const error = `The structured output does not fit options.outputFormat: ${problems.join('; ')}`;
  const reason = 'structured_output_retry_exhausted';
  return {
    ...result,
    subtype: 'error_max_structured_output_retries',
    is_error: true,
    errors: [error],
    terminal_reason: reason,
    error_code: reason,
  };
}
