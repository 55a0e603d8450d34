import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { cutDescription } from './list-bounds.ts';

export interface ServerInfo {
  name: string;
  version: string;
}

/** A tool as a server describes it. */
export interface McpToolInfo {
  name: string;
  description: string;
  inputSchema: JsonObject;
  annotations: JsonObject;
  /** Never to be left out of requests. */
  alwaysLoad: boolean;
  /** For hosts that show the page of a tool: `ui.resourceUri` and who it is for. */
  ui?: JsonObject;
}

/** What a server says of itself when it is greeted. */
export interface ServerFacts {
  /** Absent for one that says nothing. */
  serverInfo: ServerInfo | undefined;
  /** `tools`, `resources`, `prompts`, …: what it has at all. */
  capabilities: JsonObject;
  /** How it wants to be used; empty when it does not say. */
  instructions: string;
}

export function readServerFacts(result: unknown): ServerFacts {
  const { serverInfo: info, capabilities } = isObject(result) ? result : {};
  const name = stringField(info, 'name');
  return {
    serverInfo: name === undefined ? undefined : { name, version: stringField(info, 'version') ?? '' },
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: stringField(result, 'instructions') ?? '',
  };
}

/** One page of tools. Throws when it is none; what is no tool in it is left out. */
export function readToolList(result: unknown): { tools: McpToolInfo[] } {
  if (!isObject(result) || !Array.isArray(result.tools)) throw new Error('The server sent no list of tools');
  return { tools: result.tools.flatMap(readTool) };
}

function readTool(value: unknown): McpToolInfo[] {
  const name = stringField(value, 'name');
  if (!isObject(value) || name === undefined || name === '') return [];
  const { inputSchema, annotations, _meta: meta } = value;
  return [
    {
      name,
      description: cutDescription(stringField(value, 'description') ?? ''),
      // APIs want an object; the rest is as the server gave it.
      inputSchema: isObject(inputSchema) ? { ...inputSchema, type: 'object' } : { type: 'object', properties: {} },
      annotations: isObject(annotations) ? annotations : {},
      alwaysLoad: isObject(meta) && meta['anthropic/alwaysLoad'] === true,
      ...(isObject(meta) && isObject(meta.ui) && isPage(meta.ui) && { ui: meta.ui }),
    },
  ];
}

function isPage({ resourceUri }: JsonObject): boolean {
  return resourceUri === undefined || (typeof resourceUri === 'string' && resourceUri.startsWith('ui://'));
}
