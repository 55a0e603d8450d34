import { openEngine } from '../../../host/engine/engine.ts';
import { type CommandArgs, parseCommandArgs } from '../../flags/command-args.ts';
import { createLogger } from '../../terminal/logger.ts';
import { printHelp } from '../../terminal/terminal.ts';
import { wrapLogger } from '../../terminal/wrap-logger.ts';
import { chooseCommand } from '../choose-command.ts';
import { defineGroup } from '../command-group.ts';
import { add, addJson } from './add-server.ts';
import { get } from './get-server.ts';
import { list } from './list-servers.ts';
import { login, logout } from './login-server.ts';
import type { McpAction } from './mcp-action.ts';
import { remove } from './remove-server.ts';
import { test } from './test-server.ts';

export const MCP = defineGroup<McpAction>({
  group: 'mcp',
  about: `Configures, checks and signs in to MCP servers.`,
  commands: {
    add: { does: 'a server: a command of this machine, or an address', action: add },
    'add-json': { does: 'a server, as JSON', action: addJson },
    list: {
      does: 'the servers of this directory, and whether they can be reached',
      action: list,
    },
    get: { does: 'how a server is configured', action: get },
    remove: { does: 'take a server away', action: remove },
    test: { does: 'connect to a server and list its tools', action: test },
    login: { does: 'sign in to a remote server', action: login },
    logout: { does: 'forget that sign-in', action: logout },
  },
  notes: `Scopes: local (you, in this directory), project (.mcp.json, for everybody who works on it), user
(you, everywhere). The first of them that has a name wins. A project's servers start only where you
trust it (heddle trust).

Each takes --help.`,
  examples: [
    'mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'mcp add -s user -t http tracker https://mcp.example.com/mcp',
    'mcp login tracker',
    'mcp list',
  ],
  exitCodes: '0 done, 1 an error; test: 1 when the server cannot be used.',
});

/** `heddle mcp …`; resolves with the exit code. */
export async function runMcp(argv: readonly string[]): Promise<number> {
  const chosen = await chooseCommand(argv, MCP);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const { help, flags, short = {}, run = [], act } = action;
  const args = parseCommandArgs(rest, { command: `heddle mcp ${name}`, own: flags, short, run });
  if (args) return withEngine(args, act);
  printHelp(help);
  return 0;
}

async function withEngine(args: CommandArgs, act: McpAction['act']): Promise<number> {
  const logger = wrapLogger(createLogger(args.config));
  const engine = openEngine({ cwd: process.cwd(), env: process.env, log: logger.log });
  try {
    return await act(args, engine);
  } finally {
    await engine.close();
    logger.close();
  }
}
