import { type Engine, openEngine } from '../../host/engine.ts';
import { SERVER_SCOPES, type ServerScope } from '../../host/mcp-files.ts';
import { usage } from '../args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs } from '../command-args.ts';
import { createLogger } from '../logger.ts';
import { wrapLogger } from '../wrap-logger.ts';
import { defineGroup } from './action-group.ts';
import { chooseAction } from './choose-action.ts';
import { sayHelp } from './terminal.ts';

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

export const MCP = defineGroup<McpAction>({
  group: 'mcp',
  about: `Configures, checks and signs in to MCP servers.`,
  commands: {
    add: {
      does: 'a server: a command of this machine, or an address',
      load: async () => (await import('./mcp-add.ts')).add,
    },
    'add-json': { does: 'a server, as JSON', load: async () => (await import('./mcp-add.ts')).addJson },
    list: {
      does: 'the servers of this directory, and whether they can be reached',
      load: async () => (await import('./mcp-list.ts')).list,
    },
    get: { does: 'how a server is configured', load: async () => (await import('./mcp-get.ts')).get },
    remove: { does: 'take a server away', load: async () => (await import('./mcp-remove.ts')).remove },
    test: { does: 'connect to a server and list its tools', load: async () => (await import('./mcp-test.ts')).test },
    login: { does: 'sign in to a remote server', load: async () => (await import('./mcp-login.ts')).login },
    logout: { does: 'forget that sign-in', load: async () => (await import('./mcp-login.ts')).logout },
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
  const chosen = await chooseAction(argv, MCP);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const { help, flags, short = {}, run = [], act } = action;
  const args = parseCommandArgs(rest, { command: `heddle mcp ${name}`, own: flags, short, run });
  if (args) return withEngine(args, act);
  await sayHelp(help);
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

/** The scope that `--scope` names; null when it names none. */
export function scopeOf({ text }: CommandArgs): ServerScope | null {
  const given = text('--scope');
  if (given === undefined) return null;
  const scope = SERVER_SCOPES.find((each) => each === given);
  if (scope) return scope;
  const choices = SERVER_SCOPES.join(', ');
  throw usage(`option '--scope' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
