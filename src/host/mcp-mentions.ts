import type { Attachment } from '../agent/attachment.ts';
import { forbids } from '../permissions/match-rule.ts';
import { READ_MCP_RESOURCE } from '../tools/read-mcp-resource.ts';
import { messageOf } from '../util/message-of.ts';
import { withoutTrailing } from '../util/without-trailing.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Parts } from './parts.ts';

const MAX_MENTIONS = 20;
const MAX_TEXT_CHARS = 60_000;
/** How long a prompt waits for a resource, in milliseconds. */
const WAIT_MS = 30_000;

/**
 * What the resources hold that a prompt mentions as `@server:uri`. The user has named them, so that nobody is asked; what
 * a deny rule closes stays closed. What begins with no server's name was meant otherwise and is left alone. Of what is not
 * read in time, or before the signal aborts, the model is told.
 */
export async function readResourceMentions(text: string, parts: Parts, signal: AbortSignal): Promise<Attachment[]> {
  const { mcp } = parts;
  if (!mcp) return [];
  const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  const mentions = resourcesIn(text, mcp.resources.servers()).slice(0, MAX_MENTIONS);
  return Promise.all(
    mentions.map(async ({ server, uri }) => {
      const content = await contentOf(parts, { server, uri }, patience);
      return { type: 'mention', path: `${server}:${uri}`, content: parts.hideCredentials(content) };
    }),
  );
}

interface Mentioned {
  server: string;
  uri: string;
}

function resourcesIn(text: string, servers: readonly string[]): Mentioned[] {
  const found = new Map<string, Mentioned>();
  for (const [, word = ''] of text.matchAll(/(?<=^|[\s(])@(\S+)/g)) {
    const server = servers.find((name) => word.startsWith(`${name}:`));
    // A sentence may end right behind it.
    const uri = server === undefined ? '' : withoutTrailing(word.slice(server.length + 1), '.,;!?\'")]}');
    if (server !== undefined && uri !== '') found.set(`${server}:${uri}`, { server, uri });
  }
  return [...found.values()];
}

async function contentOf(parts: Parts, { server, uri }: Mentioned, signal: AbortSignal): Promise<ContentBlock[]> {
  const name = `${server}:${uri}`;
  const call = {
    toolName: READ_MCP_RESOURCE,
    input: { server, uri },
    access: { kind: 'named' as const, name: server, asks: true },
  };
  const { policy } = parts.permissions;
  const why = policy.deny.map((rule) => forbids(rule, call, policy)).find((reason) => reason !== null);
  if (why) return [said(`${name} was mentioned, but not read: a rule forbids it: ${why}`)];
  try {
    const { content } = (await parts.mcp?.resources.read(server, uri, signal)) ?? { content: '' };
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return [said(`${name} was mentioned. This is what it holds:`), ...blocks.map(bounded)];
  } catch (error) {
    return [said(`${name} was mentioned, but not read: ${messageOf(error)}`)];
  }
}

function bounded(block: ContentBlock): ContentBlock {
  if (block.type !== 'text') return block;
  const { text } = block;
  const shown =
    text.length <= MAX_TEXT_CHARS
      ? text
      : `${text.slice(0, MAX_TEXT_CHARS)}\n[It goes on; ${READ_MCP_RESOURCE} shows more.]`;
  return said(shown);
}

/** In a tag, so that nobody takes it for the user's words. */
function said(text: string): ContentBlock {
  const inside = text.replaceAll('</mentioned-resource', '<\\/mentioned-resource');
  return { type: 'text', text: `<mentioned-resource>\n${inside}\n</mentioned-resource>` };
}
