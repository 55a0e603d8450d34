import { StructuredOutput } from '../../agent/structured-output.ts';
import { compileJsonSchema } from '../../define/json-schema.ts';
import { createStructuredOutputTool, STRUCTURED_OUTPUT } from '../../tools/structured-output.ts';
import type { Tool } from '../../tools/tool.ts';
import { isObject, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';

/** The schema that the answers of a session must match. */
export interface StructuredSetting {
  readonly tool: Tool;
  /** Begins a turn. The tool hands its output to the turn that began last. */
  begin(): StructuredOutput;
}

/** Takes a schema, or its JSON text. Throws `invalid_option` when it is invalid. */
export async function structuredSetting(raw: unknown): Promise<StructuredSetting> {
  const schema = typeof raw === 'string' ? tryParseJson(raw) : raw;
  if (!isObject(schema)) {
    throw new HeddleError('invalid_option', 'Error: --json-schema is not valid JSON: it must be a JSON Schema object');
  }
  // The output is the input of a tool call, which is always an object.
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
