import { createEngine, type Engine } from '../../host/engine.ts';
import { SERVER_SCOPES, type ServerScope } from '../../host/mcp-files.ts';
import { usage } from '../args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs } from '../command-args.ts';
import { createLogger } from '../logger.ts';
import { type ActionGroup, chooseAction } from './choose-action.ts';
import { sayLines } from './terminal.ts';

/** One of the commands of `heddle mcp`. */
export interface McpAction {
  help: string;
  flags: Readonly<Record<string, OwnFlag>>;
  short?: Readonly<Record<string, string>>;
  /** The flags of a run that mean the same here. */
  run?: readonly string[];
  /** Resolves with the exit code. */
  act(args: CommandArgs, engine: Engine): Promise<number>;
}

const HELP = `Usage: heddle mcp COMMAND …

Configures, checks and signs in to MCP servers.

  add        a server: a command of this machine, or an address
  add-json   a server, as JSON
  list       the servers of this directory, and whether they can be reached
  get        how a server is configured
  remove     take a server away
  test       connect to a server and list its tools
  login      sign in to a remote server
  logout     forget that sign-in

Scopes: local (you, in this directory), project (.mcp.json, for everybody who works on it), user
(you, everywhere). The first of them that has a name wins. A project's servers start only where you
trust it (heddle trust).

Each takes --help.

Examples:
  heddle mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  heddle mcp add -s user -t http tracker https://mcp.example.com/mcp
  heddle mcp login tracker
  heddle mcp list

Exit codes: 0 done, 1 an error; test: 1 when the server cannot be used.
`;

export const MCP: ActionGroup<McpAction> = {
  group: 'mcp',
  help: HELP,
  actions: {
    add: async () => (await import('./mcp-add.ts')).add,
    'add-json': async () => (await import('./mcp-add.ts')).addJson,
    list: async () => (await import('./mcp-list.ts')).list,
    get: async () => (await import('./mcp-get.ts')).get,
    remove: async () => (await import('./mcp-remove.ts')).remove,
    test: async () => (await import('./mcp-test.ts')).test,
    login: async () => (await import('./mcp-login.ts')).login,
    logout: async () => (await import('./mcp-login.ts')).logout,
  },
};

/** `heddle mcp …`; resolves with the exit code. */
export async function runMcp(argv: readonly string[]): Promise<number> {
  const chosen = await chooseAction(argv, MCP);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const { help, flags, short = {}, run = [], act } = action;
  const args = parseCommandArgs(rest, { command: `heddle mcp ${name}`, own: flags, short, run });
  if (args) return withEngine(args, act);
  sayLines([help.trimEnd()]);
  return 0;
}

async function withEngine(args: CommandArgs, act: McpAction['act']): Promise<number> {
  const logger = createLogger(args.config);
  const engine = createEngine({ cwd: process.cwd(), env: process.env, log: logger.log });
  try {
    return await act(args, engine);
  } finally {
    await engine.close();
    logger.close();
  }
}

/** The scope that `--scope` names; null when it names none. */
export function scopeOf({ text }: CommandArgs): ServerScope | null {
  const given = text('--scope');
  if (given === undefined) return null;
  const scope = SERVER_SCOPES.find((each) => each === given);
  if (scope) return scope;
  const choices = SERVER_SCOPES.join(', ');
  throw usage(`error: option '--scope' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
