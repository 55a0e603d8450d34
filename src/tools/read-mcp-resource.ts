import { objectInput, string } from './input-schema.ts';
import { knownServer, type ResourceShelf } from './list-mcp-resources.ts';
import type { Tool } from './tool.ts';

/** As the reference calls it. */
export const READ_MCP_RESOURCE = 'ReadMcpResourceTool';

const input = objectInput({
  server: string('The server that has it'),
  uri: string('Its uri, as it is listed, or made from a template'),
});

/** A server is foreign: what it is asked for leaves this machine, so that it is asked for, by server. */
export function createReadMcpResourceTool(
  shelf: ResourceShelf,
  { maxResultChars }: { maxResultChars: number },
): Tool<{ server: string; uri: string }> {
  return {
    name: READ_MCP_RESOURCE,
    description: 'Reads a resource of an MCP server, which ListMcpResourcesTool lists.',
    input,
    maxResultChars,
    access: ({ server }) => ({ kind: 'named', name: server, asks: true }),
    isConcurrencySafe: () => true,
    async prepare(call) {
      knownServer(shelf, call.server);
      return call;
    },
    run: ({ server, uri }, { signal }) => shelf.read(knownServer(shelf, server), uri, signal),
  };
}
