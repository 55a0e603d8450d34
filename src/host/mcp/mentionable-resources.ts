import type { Policy } from '../../permissions/policy.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ListedResource, McpResourceList } from '../../wire/control/index.ts';
import { isDeniedResource } from './mentioned-resources.ts';
import type { SessionMcp } from './session-mcp.ts';

/** How long a server may take, in milliseconds. A person waits for the list. */
const WAIT_MS = 5000;

/** The resources that prompts can mention. Templates, and pages that tools show, are not among them. */
export async function mentionableResources(
  { resources: catalog }: Pick<SessionMcp, 'resources'>,
  policy: Policy,
  signal: AbortSignal,
): Promise<McpResourceList> {
  const failed: { server: string; error: string }[] = [];
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  const lists = await Promise.all(
    catalog.servers().map(async (server) => {
      try {
        return (await catalog.list(server, inTime)).flatMap((item) => toListed(item, server));
      } catch (error) {
        failed.push({ server, error: messageOf(error) });
        return [];
      }
    }),
  );
  const resources = lists.flat().filter((each) => !isDeniedResource(each, policy));
  return { resources, ...(failed.length > 0 && { failed }) };
}

function toListed(item: JsonObject, server: string): ListedResource[] {
  const uri = stringField(item, 'uri');
  if (uri === undefined || uri.startsWith('ui://')) return [];
  const description = stringField(item, 'description');
  const mimeType = stringField(item, 'mimeType');
  return [
    {
      ...{ server, uri, name: stringField(item, 'name') ?? uri },
      ...(description !== undefined && { description }),
      ...(mimeType !== undefined && { mimeType }),
    },
  ];
}
