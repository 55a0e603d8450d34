import type { ConnectedServer } from '../mcp/connections.ts';
import { argumentHint, getPrompt, namedPrompts, readArguments, type ServerPrompt } from '../mcp/prompts.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { CommandLine } from './command-line.ts';
import type { CalledOfServer } from './extensions.ts';

interface Servers {
  connected(): readonly ConnectedServer[];
}

/** What of a prompt the model gets to see, in characters. */
const MAX_CHARS = 100_000;

/** The prompts of servers, as commands of the session. */
export function listedPrompts(servers: Servers) {
  return [...namedPrompts(servers.connected()).values()].map(({ name, info }) => ({
    name,
    description: info.description,
    argumentHint: argumentHint(info),
  }));
}

/** The prompt of a server that a command line calls; null when it is none. */
export function calledServerPrompt(servers: Servers, { name, args }: CommandLine): CalledOfServer | null {
  const found = namedPrompts(servers.connected()).get(name);
  if (!found) return null;
  return { prompt: { name, scope: 'mcp' }, args, fetch: (signal) => fetchPrompt(servers, found, args, signal) };
}

/** Rejects with `command_refused` when the server has no text for it; then nothing has been said. */
async function fetchPrompt(
  servers: Servers,
  { name, server, info }: ServerPrompt,
  args: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const client = servers.connected().find((each) => each.name === server)?.client;
    if (!client) throw new Error(`the MCP server ${server} is not connected`);
    const text = await getPrompt(client, { name: info.name, args: readArguments(args, info) }, signal);
    if (text === '') throw new Error('the server sent an empty prompt');
    return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[… cut here …]`;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new HeddleError('command_refused', `/${name}: ${messageOf(error)}`, { cause: error });
  }
}
