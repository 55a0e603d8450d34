import type { CustomTool } from '../../define/tool.ts';
import { resultProblem } from '../../define/tool-result.ts';
import { type CustomSchema, readSchema } from '../../define/tool-schema.ts';
import { raceAbort } from '../../util/abort.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import { readResult } from './tool-result-content.ts';

/** Makes tools of definitions. Rejects with `invalid_option`, naming the tool, for one that cannot be used. */
export function loadCustomTools(definitions: readonly CustomTool[]): Promise<Tool[]> {
  return Promise.all(definitions.map(loadCustomTool));
}

async function loadCustomTool(definition: CustomTool): Promise<Tool> {
  const { name, description, alwaysLoad, annotations } = definition;
  const schema = await readSchema(definition.inputSchema).catch((cause) => {
    throw new HeddleError('invalid_option', `The input of the tool ${name} cannot be used: ${messageOf(cause)}`, {
      cause,
    });
  });
  return {
    name,
    description,
    ...(alwaysLoad && { alwaysLoad }),
    input: schema,
    // Heddle does not know what a custom tool touches, so every call needs permission, whatever the tool declares.
    access: () => ({ kind: 'other' }),
    isConcurrencySafe: () => annotations?.readOnlyHint === true,
    run: (input, context) => callHandler(definition, schema, input, context),
  };
}

async function callHandler(
  definition: CustomTool,
  schema: CustomSchema,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolOutput> {
  const { signal, toolUseId } = context;
  const parsed = await schema.toArgs(input);
  if (!parsed.ok) {
    const text = `InputValidationError: ${definition.name} was called with a bad input:\n${parsed.problems.join('\n')}`;
    throw new ToolError(text, { wrap: true });
  }
  const who = `The handler of the tool ${definition.name}`;
  // Wrapped in an async function, because a handler that returns no promise may throw.
  const call = async () => definition.handler(parsed.value, { signal, toolUseId });
  try {
    const result = await raceAbort(call(), signal);
    const problem = resultProblem(result);
    if (problem !== null) context.runtime.log('warn', `${who} ${problem}. ${REPORTED_TO_MODEL}`);
    return readResult(result);
  } catch (error) {
    if (error instanceof ToolError || signal.aborted) throw error;
    context.runtime.log('warn', `${who} threw ${wordsOf(error)}. ${REPORTED_TO_MODEL}`, {
      ...(error instanceof Error && { stack: error.stack }),
    });
    throw new ToolError(messageOf(error) || `${definition.name} failed without saying why.`, { cause: error });
  }
}

const REPORTED_TO_MODEL = 'The model was told that the call failed.';

/** `TypeError: x is not a function` */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
