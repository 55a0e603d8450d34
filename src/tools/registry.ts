import type { ApiTool } from '../model/model.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import { limitOutput } from './output-limit.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from './tool.ts';

/** The tools of a session, by name and in the order in which the model sees them. */
export interface Registry {
  all(): readonly Tool[];
  /** Undefined for names that no tool has, `constructor` and the like included. */
  get(name: string): Tool | undefined;
  /** The `tools` of a request; the same array as long as none is loaded, so that it is serialised once. */
  apiTools(): readonly ApiTool[];
  /**
   * The names of the tools that requests leave out, because the model has neither searched for them nor called them
   * yet.
   */
  deferred(): readonly string[];
  /** The tools that `keeps` accepts, for an agent that may do less; `own` replaces tools of the same name. */
  subset(keeps: (tool: Tool) => boolean, own?: readonly Tool[]): Registry;
  /** A registry with these tools added; of two with the same name the existing one stays. */
  plus(more: readonly Tool[]): Registry;
}

/** Tools that requests leave out until the model searches for them. */
export interface Deferral {
  names: readonly string[];
  /** Makes the tool that finds and loads them. */
  search(deferred: Deferred): Tool;
}

export interface Deferred {
  /** Every tool that requests leave out, or left out until it was loaded. */
  tools: readonly Tool[];
  /** Adds them to the requests that follow. */
  load(names: readonly string[], context: ToolContext): void;
}

/** The upper limit of every result for the model, whatever limit its tool sets; the whole goes to a file. */
const MAX_RESULT_CHARS = 300_000;

/** Throws when two tools have one name: one of them would silently shadow the other. */
export function createRegistry(tools: readonly Tool[], deferral?: Deferral): Registry {
  const waiting = new Set(deferral?.names);
  const deferred = tools.filter(({ name }) => waiting.has(name));
  const load = (names: readonly string[], { runtime }: ToolContext) => {
    const loaded = deferred.filter(({ name }) => names.includes(name) && waiting.delete(name));
    if (loaded.length === 0) return;
    // Appended after all others, so that the earlier part of the list stays as it was sent, for the cache.
    apiTools = [...apiTools, ...loaded.map(toApiTool)];
    runtime.log('debug', 'Tools were added to the requests', { names: loaded.map(({ name }) => name) });
  };
  const search = deferral && deferred.length > 0 ? deferral.search({ tools: deferred, load }) : null;
  const byName = new Map<string, Tool>();
  for (const tool of [...tools, ...(search ? [search] : [])]) {
    if (byName.has(tool.name)) throw new Error(`Two tools are named ${tool.name}`);
    const isWaiting = () => waiting.has(tool.name);
    const hint = `How ${tool.name} is called was not loaded yet: call ${search?.name} with "select:${tool.name}" first`;
    byName.set(tool.name, limited(isWaiting() ? onDemand(tool, { isWaiting, hint, load }) : tool));
  }
  const all = [...byName.values()];
  let apiTools: readonly ApiTool[] = all.filter(({ name }) => !waiting.has(name)).map(toApiTool);
  return {
    all: () => all,
    get: (name) => byName.get(name) ?? all.find(({ aliases }) => aliases?.includes(name)),
    apiTools: () => apiTools,
    deferred: () => [...waiting],
    subset(keeps, own = []) {
      const kept = tools.filter(keeps).map((tool) => own.find(({ name }) => name === tool.name) ?? tool);
      return createRegistry(kept, deferral && { ...deferral, names: [...waiting] });
    },
    plus(more) {
      const added = more.filter(({ name }) => !tools.some((tool) => tool.name === name));
      return createRegistry([...tools, ...added], deferral && { ...deferral, names: [...waiting] });
    },
  };
}

function toApiTool({ name, description, input }: Tool): ApiTool {
  return { name, description, input_schema: input.json };
}

interface Demand extends Pick<Deferred, 'load'> {
  isWaiting(): boolean;
  hint: string;
}

/**
 * Loads a deferred tool when the model calls it without having seen it. If its input is invalid, the error names the
 * tool search.
 */
function onDemand(tool: Tool, { isWaiting, hint, load }: Demand): Tool {
  return {
    ...tool,
    input: {
      json: tool.input.json,
      parse(value) {
        const parsed = tool.input.parse(value);
        return parsed.ok || !isWaiting() ? parsed : { ok: false, problems: [...parsed.problems, hint] };
      },
    },
    run(input, context) {
      load([tool.name], context);
      return tool.run(input, context);
    },
  };
}

/** The tool with its results and errors limited to what a request can carry. */
function limited(tool: Tool): Tool {
  const maxChars = Math.min(tool.maxResultChars ?? MAX_RESULT_CHARS, MAX_RESULT_CHARS);
  return {
    ...tool,
    async run(input, context) {
      try {
        const output = await tool.run(input, context);
        return { ...output, content: limitContent(output.content, maxChars, context) };
      } catch (error) {
        throw error instanceof ToolError ? limitError(error, maxChars, context) : error;
      }
    },
  };
}

function limitContent(content: ToolOutput['content'], maxChars: number, context: ToolContext): ToolOutput['content'] {
  if (typeof content === 'string') return limitText(content, maxChars, context);
  let left = maxChars;
  const blocks: ContentBlock[] = [];
  const beyond: string[] = [];
  for (const block of content) {
    if (block.type !== 'text') {
      blocks.push(block);
    } else if (left === 0) {
      beyond.push(block.text);
    } else {
      const text = limitText(block.text, left, context);
      left = Math.max(0, left - text.length);
      blocks.push({ ...block, text });
    }
  }
  // One file and one note for all of it, however many blocks there were.
  const note = limitText(beyond.join('\n'), 0, context);
  return note === '' ? blocks : [...blocks, { type: 'text', text: note }];
}

function limitError(error: ToolError, maxChars: number, context: ToolContext): ToolError {
  const text = limitText(error.message, maxChars, context);
  return text === error.message ? error : new ToolError(text, { wrap: error.wrap, cause: error });
}

function limitText(text: string, maxChars: number, context: ToolContext): string {
  return limitOutput(text, { maxChars, spillDir: context.spillDir, name: context.toolUseId });
}
