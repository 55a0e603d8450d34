import type { JsonObject } from '../util/json.ts';
import { objectInput, optional, string } from './input-schema.ts';
import { refusal, type Tool, ToolError, type ToolOutput } from './tool.ts';

/** The resources of MCP servers, as the two tools for them see them. */
export interface ResourceShelf {
  /** The servers that have resources and may be read from. */
  servers(): readonly string[];
  /** What a server has. Rejects with what went wrong. */
  list(server: string, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** What a resource holds. Rejects with what went wrong; ToolError for what cannot be read. */
  read(server: string, uri: string, signal: AbortSignal): Promise<ToolOutput>;
}

/** As the reference calls it. */
export const LIST_MCP_RESOURCES = 'ListMcpResourcesTool';

const input = objectInput({ server: optional(string('Only the resources of this server')) });

export function createListMcpResourcesTool(shelf: ResourceShelf): Tool<{ server?: string | undefined }> {
  return {
    name: LIST_MCP_RESOURCES,
    description:
      'Lists what MCP servers have to read: resources, each with its server and its uri, and templates of uris with places to fill in. ReadMcpResourceTool reads one.',
    input,
    access: () => ({ kind: 'none' }),
    isConcurrencySafe: () => true,
    async run({ server }, { signal, runtime }) {
      const servers = server === undefined ? shelf.servers() : [knownServer(shelf, server)];
      const lists = await Promise.all(
        servers.map(async (name) => {
          const items = await shelf.list(name, signal).catch((error: Error) => {
            if (signal.aborted || server !== undefined)
              throw new ToolError(`${name}: ${error.message}`, { cause: error });
            runtime.log('warn', `The resources of the MCP server ${name} could not be read: ${error.message}`);
            return [];
          });
          return items.map((item) => ({ ...item, server: name }));
        }),
      );
      const data = lists.flat();
      return { content: data.length === 0 ? 'There are no resources.' : JSON.stringify(data), data };
    },
  };
}

/** Throws for a server that is not there. */
export function knownServer(shelf: ResourceShelf, name: string): string {
  const names = shelf.servers();
  if (names.includes(name)) return name;
  throw refusal(`There is no MCP server ${name} with resources. There are: ${names.join(', ') || 'none'}`);
}
