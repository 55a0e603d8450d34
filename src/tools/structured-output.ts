import type { Validate } from '../define/json-schema.ts';
import type { JsonObject } from '../util/json.ts';
import { isObject } from '../util/json.ts';
import type { Tool } from './tool.ts';

export const STRUCTURED_OUTPUT = 'StructuredOutput';

/** The tool through which a model hands in an answer of the shape that the user asked for. */
export function createStructuredOutputTool(options: {
  schema: JsonObject;
  validate: Validate;
  /** Takes each valid output. */
  accept: (output: JsonObject) => void;
}): Tool {
  const { schema, validate, accept } = options;
  return {
    name: STRUCTURED_OUTPUT,
    description:
      'Hands in your final answer in the shape that the user asked for. Call it once, when you have everything, with an input that fits its schema exactly. The conversation ends with it.',
    input: {
      json: schema,
      parse(value) {
        if (!isObject(value)) return { ok: false, problems: ['the output must be an object'] };
        const problems = validate(value);
        return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
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
