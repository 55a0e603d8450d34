import type { ConnectedServer } from '../../mcp/connections.ts';
import { listResources, readResource } from '../../mcp/resources.ts';
import { boundField } from '../../tools/bounded-field.ts';
import { readResult } from '../../tools/custom/tool-result-content.ts';
import {
  createListMcpResourcesTool,
  createReadMcpResourceTool,
  type ResourceCatalog,
} from '../../tools/mcp/resource-tools.ts';
import { type Tool, ToolError, type ToolOutput } from '../../tools/tool.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';

/** The resources of connected servers. Each call asks which are connected: servers come and go. */
export function resourceCatalog(connected: () => readonly ConnectedServer[]): ResourceCatalog {
  const withResources = () => connected().filter(({ client }) => client.has('resources'));
  const clientOf = (name: string) => {
    const server = withResources().find((each) => each.name === name);
    if (!server) throw new ToolError(`The MCP server ${name} is not connected`);
    return server.client;
  };
  return {
    servers: () => withResources().map(({ name }) => name),
    list: async (name, signal) => (await listResources(clientOf(name), signal)).map((item) => ({ ...item })),
    async read(name, uri, signal) {
      try {
        return toOutput(await readResource(clientOf(name), uri, signal));
      } catch (error) {
        if (signal.aborted || error instanceof ToolError) throw error;
        throw new ToolError(`${uri} could not be read from the MCP server ${name}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** The tools that list and read resources; none while no server has resources. */
export function resourceTools(catalog: ResourceCatalog, limits: { maxResultChars: number }): Tool[] {
  if (catalog.servers().length === 0) return [];
  return [
    createListMcpResourcesTool(catalog) as unknown as Tool,
    createReadMcpResourceTool(catalog, limits) as unknown as Tool,
  ];
}

/** The model gets resources like the result of a tool; people get the texts, and the size of binary data. */
export function toOutput(contents: readonly JsonObject[]): ToolOutput {
  const { content } = readResult({ content: contents.map((resource) => ({ type: 'resource', resource })) });
  const shown = contents.map(({ blob, text, ...rest }) => ({
    ...rest,
    ...(typeof text === 'string' && { text: boundField(text) }),
    ...(typeof blob === 'string' && { blobBytes: Math.floor((blob.length * 3) / 4) }),
  }));
  return { content, data: { contents: shown } };
}
