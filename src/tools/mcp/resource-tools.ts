import type { JsonObject } from '../../util/json.ts';
import { objectInput, optional, string } from '../input-schema.ts';
import { refusal, type Tool, ToolError, type ToolOutput } from '../tool.ts';

/** The resources of MCP servers, as the two tools for them see them. */
export interface ResourceCatalog {
  /** The servers that have resources and may be read from. */
  servers(): readonly string[];
  /** Lists the resources of a server. Rejects with the error that occurred. */
  list(server: string, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** Reads a resource. Rejects with the error that occurred; a ToolError for content that cannot be read. */
  read(server: string, uri: string, signal: AbortSignal): Promise<ToolOutput>;
}

/** The reference's name. */
export const LIST_MCP_RESOURCES = 'ListMcpResourcesTool';

const listInput = objectInput({ server: optional(string('Only the resources of this server')) });

export function createListMcpResourcesTool(catalog: ResourceCatalog): Tool<{ server?: string | undefined }> {
  return {
    name: LIST_MCP_RESOURCES,
    description:
      'Lists what MCP servers have to read: resources, each with its server and its uri, and templates of uris with places to fill in. ReadMcpResourceTool reads one.',
    input: listInput,
    access: () => ({ kind: 'none' }),
    isConcurrencySafe: () => true,
    async run({ server }, { signal, runtime }) {
      const servers = server === undefined ? catalog.servers() : [knownServer(catalog, server)];
      const lists = await Promise.all(
        servers.map(async (name) => {
          const items = await catalog.list(name, signal).catch((error: Error) => {
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

/** Throws for an unknown server. */
export function knownServer(catalog: ResourceCatalog, name: string): string {
  const names = catalog.servers();
  if (names.includes(name)) return name;
  throw refusal(`There is no MCP server ${name} with resources. There are: ${names.join(', ') || 'none'}`);
}

/** The reference's name. */
export const READ_MCP_RESOURCE = 'ReadMcpResourceTool';

const readInput = objectInput({
  server: string('The server that has it'),
  uri: string('Its uri, as it is listed, or made from a template'),
});

/** An MCP server is not trusted and the request may leave this machine, so reading needs permission, per server. */
export function createReadMcpResourceTool(
  catalog: ResourceCatalog,
  { maxResultChars }: { maxResultChars: number },
): Tool<{ server: string; uri: string }> {
  return {
    name: READ_MCP_RESOURCE,
    description: 'Reads a resource of an MCP server, which ListMcpResourcesTool lists.',
    input: readInput,
    maxResultChars,
    access: ({ server }) => ({ kind: 'named', name: server, asks: true }),
    isConcurrencySafe: () => true,
    async prepare(call) {
      knownServer(catalog, call.server);
      return call;
    },
    run: ({ server, uri }, { signal }) => catalog.read(knownServer(catalog, server), uri, signal),
  };
}
