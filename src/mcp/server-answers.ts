import { isObject, type JsonObject, stringField } from '../util/json.ts';

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
}

/** Who a server says that it is. It may say nothing. */
export function readServerInfo(result: unknown): ServerInfo | undefined {
  const info = isObject(result) ? result.serverInfo : undefined;
  const name = stringField(info, 'name');
  return name === undefined ? undefined : { name, version: stringField(info, 'version') ?? '' };
}

/** One page of tools. Throws when it is none; what is no tool in it is left out. */
export function readToolList(result: unknown): { tools: McpToolInfo[]; nextCursor: string | undefined } {
  if (!isObject(result) || !Array.isArray(result.tools)) throw new Error('The server sent no list of tools');
  return { tools: result.tools.flatMap(readTool), nextCursor: stringField(result, 'nextCursor') };
}

function readTool(value: unknown): McpToolInfo[] {
  const name = stringField(value, 'name');
  if (!isObject(value) || name === undefined || name === '') return [];
  const { inputSchema, annotations, _meta: meta } = value;
  return [
    {
      name,
      description: stringField(value, 'description') ?? '',
      // APIs want an object; the rest is as the server gave it.
      inputSchema: isObject(inputSchema) ? { ...inputSchema, type: 'object' } : { type: 'object', properties: {} },
      annotations: isObject(annotations) ? annotations : {},
      alwaysLoad: isObject(meta) && meta['anthropic/alwaysLoad'] === true,
    },
  ];
}
