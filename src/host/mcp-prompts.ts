import { argumentHint, getPrompt, namedPrompts, readArguments, type ServerPrompt } from '../mcp/prompts.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { CommandLine } from './command-line.ts';
import type { CalledPrompt } from './extensions.ts';
import type { SessionMcp } from './mcp.ts';

/** What of a prompt the model gets to see, in characters. */
const MAX_CHARS = 100_000;

/** The prompts of servers, as commands of the session. */
export function listedPrompts(mcp: Pick<SessionMcp, 'connected'>) {
  return [...namedPrompts(mcp.connected()).values()].map(({ name, info }) => ({
    name,
    description: info.description,
    argumentHint: argumentHint(info),
  }));
}

/** The prompt of a server that a command line calls; null when it is none. */
export function calledServerPrompt(mcp: Pick<SessionMcp, 'connected'>, { name, args }: CommandLine): CalledPrompt | null {
  const found = namedPrompts(mcp.connected()).get(name);
  if (!found) return null;
  return { prompt: { name, scope: 'mcp' }, args, fetch: (signal) => fetchPrompt(mcp, found, args, signal) };
}

/** Rejects with `command_refused` when the server has no text for it; then nothing has been said. */
async function fetchPrompt(
  mcp: Pick<SessionMcp, 'connected'>,
  { name, server, info }: ServerPrompt,
  args: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const client = mcp.connected().find((each) => each.name === server)?.client;
    if (!client) throw new Error(`the MCP server ${server} is not connected`);
    const text = await getPrompt(client, { name: info.name, args: readArguments(args, info) }, signal);
    if (text === '') throw new Error('the server sent an empty prompt');
    return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[… cut here …]`;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new HeddleError('command_refused', `/${name}: ${messageOf(error)}`, { cause: error });
  }
}
