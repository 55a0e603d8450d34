import type { ApiTool } from '../model/model.ts';
import type { ContentBlock } from '../wire/content.ts';
import { limitOutput } from './output-limit.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from './tool.ts';

/** The tools of a session, by name and in the order in which the model sees them. */
export interface Registry {
  all(): readonly Tool[];
  /** Undefined for names that no tool has, `constructor` and the like included. */
  get(name: string): Tool | undefined;
  /** The `tools` of a request; the same array every time, so that it is serialised once. */
  apiTools(): readonly ApiTool[];
}

/** No result may be longer for the model, whatever its tool allows itself; the whole goes to a file. */
const MAX_RESULT_CHARS = 300_000;

/** Throws when two tools have one name: one of them would silently shadow the other. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`Two tools are named ${tool.name}`);
    byName.set(tool.name, limited(tool));
  }
  const all = [...byName.values()];
  const apiTools = all.map(({ name, description, input }) => ({ name, description, input_schema: input.json }));
  return {
    all: () => all,
    get: (name) => byName.get(name),
    apiTools: () => apiTools,
  };
}

/** The tool with its results, good and bad, kept within what a request can carry. */
function limited(tool: Tool): Tool {
  return {
    name: tool.name,
    description: tool.description,
    input: tool.input,
    access: (input, workspace) => tool.access(input, workspace),
    isConcurrencySafe: (input) => tool.isConcurrencySafe(input),
    async run(input, context) {
      try {
        const output = await tool.run(input, context);
        return { ...output, content: limitContent(output.content, context) };
      } catch (error) {
        throw error instanceof ToolError ? limitError(error, context) : error;
      }
    },
  };
}

function limitContent(content: ToolOutput['content'], context: ToolContext): ToolOutput['content'] {
  if (typeof content === 'string') return limitText(content, MAX_RESULT_CHARS, context);
  let left = MAX_RESULT_CHARS;
  return content.map((block): ContentBlock => {
    if (block.type !== 'text') return block;
    const text = limitText(block.text, left, context);
    left = Math.max(0, left - text.length);
    return { ...block, text };
  });
}

function limitError(error: ToolError, context: ToolContext): ToolError {
  if (error.message.length <= MAX_RESULT_CHARS) return error;
  return new ToolError(limitText(error.message, MAX_RESULT_CHARS, context), { wrap: error.wrap, cause: error });
}

function limitText(text: string, maxChars: number, context: ToolContext): string {
  return limitOutput(text, { maxChars, spillDir: context.spillDir, name: context.toolUseId });
}
