import { createHash } from 'node:crypto';
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
  /** Its tool is never left out of requests. */
  alwaysLoad: boolean;
  /** For hosts that show the page of a tool: `ui.resourceUri` and its audience. */
  ui?: JsonObject;
}

/** A server's answer to `initialize`. */
export interface ServerDetails {
  /** Absent when the server sends none. */
  serverInfo: ServerInfo | undefined;
  /** `tools`, `resources`, `prompts`, …: the kinds that the server has. */
  capabilities: JsonObject;
  /** The server's instructions for the model; empty when it sends none. */
  instructions: string;
}

export function readServerDetails(result: unknown): ServerDetails {
  const { serverInfo: info, capabilities } = isObject(result) ? result : {};
  const name = stringField(info, 'name');
  return {
    serverInfo: name === undefined ? undefined : { name, version: stringField(info, 'version') ?? '' },
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: stringField(result, 'instructions') ?? '',
  };
}

/** Reads one page of tools. Throws when it is not a list; entries that are not tools are left out. */
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
      // APIs require an object; the rest is as the server sent it.
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

/** A hash to which an approval is bound: the tool's description and input schema, independent of the order of keys. */
export function toolFingerprint({
  description,
  inputSchema,
}: {
  description: string;
  inputSchema: JsonObject;
}): string {
  return createHash('sha256')
    .update(JSON.stringify([description, sorted(inputSchema)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key])]);
}
