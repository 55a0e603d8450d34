import { type AnswerLike, type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';

/**
 * A model for whatever a page asks: it answers with a text, fills in a schema that it is given, and starts what it is
 * told to start.
 */
export function anyAnswer({ body }: FakeApiRequest): AnswerLike {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const hasResult = JSON.stringify(messages.at(-1) ?? {}).includes('"tool_result"');
  if (hasResult) return 'It is done.';
  if (JSON.stringify(body.system ?? '').includes('"ok\\":')) return '{"ok": true}';
  const structured = toolNamed(body, 'StructuredOutput');
  if (structured) return toolUse('StructuredOutput', example(structured.input_schema) as JsonObject);
  const asked = JSON.stringify(messages);
  if (asked.includes('start the dev server, detached')) {
    return toolUse('Bash', { command: 'npm run dev', run_in_background: true, detach: true });
  }
  return 'It is a small project about looms.';
}

function toolNamed(body: JsonObject, name: string): JsonObject | undefined {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  return tools.find((tool) => tool.name === name);
}

/** The smallest value that a plain schema takes. */
function example(schema: unknown): unknown {
  if (!isObject(schema)) return null;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, each]) => [key, example(each)]));
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 12;
    case 'boolean':
      return true;
    default:
      return 'twill';
  }
}
