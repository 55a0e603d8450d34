import type { ToolSearchOutput } from '../wire/tools/tool-outputs.ts';
import { type InputOf, integer, objectInput, string, withDefault } from './input-schema.ts';
import type { Deferred } from './registry.ts';
import type { Tool } from './tool.ts';

export const TOOL_SEARCH = 'ToolSearch';

const input = objectInput({
  query: string('Words to look for in names and descriptions; +word: it must occur; select:Name1,Name2: just these'),
  max_results: withDefault(integer('How many tools to load at most', { minimum: 1, maximum: 50 }), 5),
});

/** Finds tools that requests leave out, shows how they are called, and loads them. */
export function createToolSearchTool({ tools, load }: Deferred): Tool<InputOf<typeof input>> {
  return {
    name: TOOL_SEARCH,
    description: `Finds and loads further tools. They exist, but you do not see how they are called before they are loaded.

- Before you say that something cannot be done, search for a tool that does it.
- Further tools: ${listOf(tools)}`,
    input,
    access: () => ({ kind: 'none' }),
    isConcurrencySafe: () => false,
    async run({ query, max_results }, context) {
      const matches = findTools(tools, query).slice(0, max_results);
      const names = matches.map(({ name }) => name);
      load(names, context);
      return {
        content: matches.length === 0 ? nothingFound(query) : describe(matches),
        data: { matches: names, query, total_deferred_tools: tools.length } satisfies ToolSearchOutput,
      };
    },
  };
}

/** Above this many characters of schemas and descriptions a host's tools are left out of requests. */
const MAX_ALWAYS_SENT = 40 * 1024;

/**
 * The names of a host's tools that requests leave out until the model searches for them. `setting` is the variable
 * ENABLE_TOOL_SEARCH: `true` for all, `false` for none, otherwise all when they are large together.
 */
export function toolsToDefer(tools: readonly Tool[], setting: string | undefined): string[] {
  if (setting === 'false') return [];
  const candidates = tools.filter(({ alwaysLoad }) => !alwaysLoad);
  const size = candidates.reduce((sum, tool) => sum + sizeOf(tool), 0);
  return setting === 'true' || size > MAX_ALWAYS_SENT ? candidates.map(({ name }) => name) : [];
}

function sizeOf({ name, description, input: { json } }: Tool): number {
  return name.length + description.length + JSON.stringify(json).length;
}

function findTools(tools: readonly Tool[], query: string): Tool[] {
  const selected = /^\s*select:(.*)$/is.exec(query)?.[1];
  if (selected !== undefined) {
    const names = selected.split(',').map((name) => name.trim());
    return tools.filter(({ name }) => names.includes(name));
  }
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

/** A word of the name counts more than a part of it, and that more than one in the description. */
function scoreOf({ name, description }: Tool, words: readonly string[]): number {
  const spaced = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  const parts = new Set(spaced.split(/[^\p{L}\p{N}]+/u));
  let total = 0;
  for (const each of words) {
    const word = each.replace(/^\+/, '');
    const inName = parts.has(word) ? 6 : name.toLowerCase().includes(word) ? 3 : 0;
    const score = inName + (description.toLowerCase().includes(word) ? 1 : 0);
    if (score === 0 && each.startsWith('+')) return 0;
    total += score;
  }
  return total;
}

function describe(tools: readonly Tool[]): string {
  const each = tools.map(({ name, description, input: { json } }) => {
    return `## ${name}\n${description}\nInput: ${JSON.stringify(json)}`;
  });
  return ['These tools are loaded and can be called from now on.', ...each].join('\n\n');
}

function nothingFound(query: string): string {
  return `No tool fits ${JSON.stringify(query)}. Try fewer or other words, or select:NAME with a name from the list.`;
}

const MAX_LISTED = 4000;

/** Lists as many names as fit: a model cannot search for a tool whose name it has never seen. */
function listOf(tools: readonly Tool[]): string {
  const all = tools.map(({ name }) => name).join(', ');
  if (all.length <= MAX_LISTED) return all;
  const listed = all.slice(0, all.lastIndexOf(',', MAX_LISTED));
  return `${listed} and ${tools.length - listed.split(',').length} more`;
}
