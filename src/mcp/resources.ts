import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS, RpcError } from '../wire/link/json-rpc.ts';
import type { McpClient } from './client.ts';
import { cutDescription } from './list-bounds.ts';

/** A resource as a server describes it, or a template for many. */
export interface McpResourceInfo {
  /** Absent for a template. */
  uri?: string;
  uriTemplate?: string;
  name: string;
  description?: string;
  mimeType?: string;
}

/** All resources of a server, the templates last; empty when it declares none. */
export async function listResources(client: McpClient, signal: AbortSignal): Promise<McpResourceInfo[]> {
  if (!client.has('resources')) return [];
  const resources = await client.listPages('resources/list', (page) => readItems(page.resources, 'uri'), signal);
  return [...resources, ...(await listTemplates(client, signal))];
}

/** The content of a resource, as the server sends it. Rejects with the server's error. */
export async function readResource(client: McpClient, uri: string, signal: AbortSignal): Promise<JsonObject[]> {
  const { contents } = await client.request('resources/read', { uri }, { signal });
  if (!Array.isArray(contents)) throw new Error('The server sent no contents');
  return contents.filter(isObject);
}

/** Many servers with resources have no templates and do not know the method. */
async function listTemplates(client: McpClient, signal: AbortSignal): Promise<McpResourceInfo[]> {
  const method = 'resources/templates/list';
  try {
    return await client.listPages(method, (page) => readItems(page.resourceTemplates, 'uriTemplate'), signal);
  } catch (error) {
    if (error instanceof RpcError && error.code === RPC_ERRORS.unknownMethod) return [];
    throw error;
  }
}

function readItems(value: unknown, address: 'uri' | 'uriTemplate'): McpResourceInfo[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => {
    const where = stringField(item, address);
    if (where === undefined) return [];
    const description = stringField(item, 'description');
    const mimeType = stringField(item, 'mimeType');
    return {
      [address]: where,
      name: stringField(item, 'name') ?? where,
      ...(description !== undefined && { description: cutDescription(description) }),
      ...(mimeType !== undefined && { mimeType }),
    };
  });
}
