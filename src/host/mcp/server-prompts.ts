import type { ConnectedServer } from '../../mcp/connections.ts';
import { argumentHint, getPrompt, namedPrompts, readArguments, type ServerPrompt } from '../../mcp/prompts.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { CalledOfServer } from '../extensions/extensions.ts';
import type { CommandLine } from '../extensions/parse-command.ts';

interface Servers {
  connected(): readonly ConnectedServer[];
}

/** How much of a prompt the model gets, in characters. */
const MAX_CHARS = 100_000;

/** A prompt of a server, as menus list it among the commands. */
export interface ListedPrompt {
  name: string;
  description: string;
  argumentHint: string;
}

/** The prompts of servers, as commands of the session. */
export function listedPrompts(servers: Servers): ListedPrompt[] {
  return [...namedPrompts(servers.connected()).values()].map(({ name, info }) => ({
    name,
    description: info.description,
    argumentHint: argumentHint(info),
  }));
}

/** The prompt of a server that a command line calls; null when it calls none. */
export function calledServerPrompt(servers: Servers, { name, args }: CommandLine): CalledOfServer | null {
  const called = namedPrompts(servers.connected()).get(name);
  if (!called) return null;
  return { prompt: { name, scope: 'mcp' }, args, fetch: (signal) => fetchPrompt(servers, called, args, signal) };
}

/** Rejects with `command_refused` when the server sends no text; the prompt is not recorded then. */
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
