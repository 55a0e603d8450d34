import type { Attachment } from '../../agent/attachment.ts';
import { forbids } from '../../permissions/match-rule.ts';
import type { Policy } from '../../permissions/policy.ts';
import { READ_MCP_RESOURCE } from '../../tools/mcp/resource-tools.ts';
import { messageOf } from '../../util/message-of.ts';
import { withoutTrailing } from '../../util/text/without-trailing.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { SessionMcp } from './session-mcp.ts';

const MAX_MENTIONS = 20;
const MAX_TEXT_CHARS = 60_000;
/** How long a prompt waits for a resource, in milliseconds. */
const WAIT_MS = 30_000;

/** The dependencies for reading the resources that a prompt mentions. */
export interface ResourceReader {
  mcp: Pick<SessionMcp, 'resources'>;
  policy: Policy;
  hideCredentials<T>(value: T): T;
}

/**
 * The contents of the resources that a prompt mentions as `@server:uri`.
 * - Deny rules apply, but no permission question is asked, because the user has named the resources.
 * - A word that does not begin with the name of a server is ignored.
 * - The attachment states when a resource was not read in time, or before the signal aborted.
 */
export async function readResourceMentions(
  text: string,
  { mcp: { resources }, policy, hideCredentials }: ResourceReader,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  const mentions = resourcesIn(text, resources.servers()).slice(0, MAX_MENTIONS);
  return Promise.all(
    mentions.map(async (mention) => {
      const { server, uri } = mention;
      const content = refusalOf(mention, policy) ?? (await contentOf(mention, resources, inTime));
      return { type: 'mention', path: `${server}:${uri}`, content: hideCredentials(content) };
    }),
  );
}

interface Mentioned {
  server: string;
  uri: string;
}

function resourcesIn(text: string, servers: readonly string[]): Mentioned[] {
  const mentions = new Map<string, Mentioned>();
  for (const [, word = ''] of text.matchAll(/(?<=^|[\s(])@(\S+)/g)) {
    const server = servers.find((name) => word.startsWith(`${name}:`));
    // The sentence may end right after the address.
    const uri = server === undefined ? '' : withoutTrailing(word.slice(server.length + 1), '.,;!?\'")]}');
    if (server !== undefined && uri !== '') mentions.set(`${server}:${uri}`, { server, uri });
  }
  return [...mentions.values()];
}

/** Null: no deny rule is about this resource. */
function refusalOf(mention: Mentioned, policy: Policy): ContentBlock[] | null {
  const why = denialOf(mention, policy);
  const { server, uri } = mention;
  return why ? [tagged(`${server}:${uri} was mentioned, but not read: a rule forbids it: ${why}`)] : null;
}

/** Whether a rule keeps the resource from prompts that mention it. */
export function isDeniedResource(resource: Mentioned, policy: Policy): boolean {
  return denialOf(resource, policy) !== undefined;
}

function denialOf({ server, uri }: Mentioned, policy: Policy): string | undefined {
  const call = {
    toolName: READ_MCP_RESOURCE,
    input: { server, uri },
    access: { kind: 'named' as const, name: server, asks: true },
  };
  return policy.deny.map((rule) => forbids(rule, call, policy)).find((reason) => reason !== null) ?? undefined;
}

async function contentOf(
  { server, uri }: Mentioned,
  resources: SessionMcp['resources'],
  signal: AbortSignal,
): Promise<ContentBlock[]> {
  const name = `${server}:${uri}`;
  try {
    const { content } = await resources.read(server, uri, signal);
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return [tagged(`${name} was mentioned. This is what it holds:`), ...blocks.map(bounded)];
  } catch (error) {
    return [tagged(`${name} was mentioned, but not read: ${messageOf(error)}`)];
  }
}

function bounded(block: ContentBlock): ContentBlock {
  if (block.type !== 'text') return block;
  const { text } = block;
  const shown =
    text.length <= MAX_TEXT_CHARS
      ? text
      : `${text.slice(0, MAX_TEXT_CHARS)}\n[It goes on; ${READ_MCP_RESOURCE} shows more.]`;
  return tagged(shown);
}

/** In a tag, so that the model does not take it for the user's words. */
function tagged(text: string): ContentBlock {
  const inside = text.replaceAll('</mentioned-resource', '<\\/mentioned-resource');
  return { type: 'text', text: `<mentioned-resource>\n${inside}\n</mentioned-resource>` };
}
