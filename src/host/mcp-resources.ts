import type { ConnectedServer } from '../mcp/connections.ts';
import { listResources, readResource } from '../mcp/resources.ts';
import { boundField } from '../tools/bounded-field.ts';
import { readResult } from '../tools/custom-tool-result.ts';
import { createListMcpResourcesTool, type ResourceShelf } from '../tools/list-mcp-resources.ts';
import { createReadMcpResourceTool } from '../tools/read-mcp-resource.ts';
import { type Tool, ToolError, type ToolOutput } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';

/** The resources of servers that are connected. They are asked late: servers come and go. */
export function resourceShelf(connected: () => readonly ConnectedServer[]): ResourceShelf {
  const withResources = () => connected().filter(({ client }) => client.has('resources'));
  const clientOf = (name: string) => {
    const found = withResources().find((server) => server.name === name);
    if (!found) throw new ToolError(`The MCP server ${name} is not connected`);
    return found.client;
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

/** The tools for them; none while no server has any. */
export function resourceTools(shelf: ResourceShelf, limits: { maxResultChars: number }): Tool[] {
  if (shelf.servers().length === 0) return [];
  return [
    createListMcpResourcesTool(shelf) as unknown as Tool,
    createReadMcpResourceTool(shelf, limits) as unknown as Tool,
  ];
}

/** The model sees what a tool's result would show it; people get the texts, and of other data that there was some. */
export function toOutput(contents: readonly JsonObject[]): ToolOutput {
  const { content } = readResult({ content: contents.map((resource) => ({ type: 'resource', resource })) });
  const shown = contents.map(({ blob, text, ...rest }) => ({
    ...rest,
    ...(typeof text === 'string' && { text: boundField(text) }),
    ...(typeof blob === 'string' && { blobBytes: Math.floor((blob.length * 3) / 4) }),
  }));
  return { content, data: { contents: shown } };
}
