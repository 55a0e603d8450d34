import { announceCommands } from '../commands/announce-commands.ts';
import type { MainThread } from '../thread/thread.ts';

/** Waits for servers that are still connecting, so that the next turn has their tools. */
export async function waitForServers(main: MainThread, signal: AbortSignal): Promise<void> {
  const { mcp } = main.services;
  if (!mcp.current || !(await mcp.current.join(signal))) return;
  await main.toolbox.rebuild();
  announceCommands(main.services);
}
