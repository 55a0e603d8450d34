import type { Validate } from '../define/json-schema.ts';
import type { JsonObject } from '../util/json.ts';
import { isObject } from '../util/json.ts';
import type { Tool } from './tool.ts';

export const STRUCTURED_OUTPUT = 'StructuredOutput';

/** The tool through which a model returns an answer of the shape that the user asked for. */
export function createStructuredOutputTool(options: {
  schema: JsonObject;
  validate: Validate;
  /** Takes each valid output. */
  accept: (output: JsonObject) => void;
  /** Takes each invalid output. */
  refuse?: (value: unknown, problems: readonly string[]) => void;
}): Tool {
  const { schema, validate, accept } = options;
  return {
    name: STRUCTURED_OUTPUT,
    description:
      'Hands in your final answer in the shape that the user asked for. Call it once, when you have everything, with an input that fits its schema exactly. The conversation ends with it.',
    input: {
      json: schema,
      parse(value) {
        const problems = isObject(value) ? validate(value) : ['the output must be an object'];
        if (isObject(value) && problems.length === 0) return { ok: true, value };
        options.refuse?.(value, problems);
        return { ok: false, problems };
      },
    },
    access: () => ({ kind: 'none' }),
    isConcurrencySafe: () => false,
    async run(input) {
      accept(input);
      const text = 'The structured output was accepted.';
      return { content: text, data: text };
    },
  };
}
