import { StructuredOutput } from '../agent/structured.ts';
import { compileJsonSchema } from '../define/json-schema.ts';
import { createStructuredOutputTool, STRUCTURED_OUTPUT } from '../tools/structured-output.ts';
import type { Tool } from '../tools/tool.ts';
import { isObject, tryParseJson } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/** A session whose answers must have a shape. */
export interface StructuredSetting {
  readonly tool: Tool;
  /** Follows one turn; the tool hands in to the one that began last. */
  begin(): StructuredOutput;
}

/** From a schema, or the JSON text of one. Throws `invalid_option` when it is none. */
export async function structuredSetting(given: unknown): Promise<StructuredSetting> {
  const schema = typeof given === 'string' ? tryParseJson(given) : given;
  if (!isObject(schema)) {
    throw new HeddleError('invalid_option', 'Error: --json-schema is not valid JSON: it must be a JSON Schema object');
  }
  // The output is the input of a tool call, and that is always an object.
  const { type = 'object' } = schema;
  if (type !== 'object') {
    throw new HeddleError(
      'invalid_option',
      `Error: --json-schema must describe an object, not ${JSON.stringify(type)}`,
    );
  }
  const validate = await compileJsonSchema(schema);
  let current: StructuredOutput | null = null;
  const tool = createStructuredOutputTool({
    schema: { type, ...schema },
    validate,
    accept: (output) => current?.accept(output),
    refuse: (value, problems) => current?.refuse(value, problems),
  });
  return {
    tool,
    begin() {
      current = new StructuredOutput(STRUCTURED_OUTPUT);
      return current;
    },
  };
}
