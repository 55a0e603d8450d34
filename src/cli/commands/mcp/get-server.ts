import { SERVER_SCOPES, writtenServers } from '../../../admin/server-files.ts';
import { signInOf } from '../../../admin/server-login.ts';
import { type AdminServer, openServerAdmin, type Reached, type ServerAdmin } from '../../../admin/servers.ts';
import { isObject } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';
import { shellWord } from '../../../util/text/shell-word.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printLines } from '../../terminal/terminal.ts';
import type { McpAction } from './mcp-action.ts';
import { RUN_FLAGS, RUN_FLAGS_HELP } from './run-flags.ts';
import { reasonOf, statusText, unreached } from './server-lines.ts';

const HELP = `Usage: heddle mcp get NAME [--no-connect] [--json]

Shows how a server is configured and where that stands, connects to it to see how it is, and says
whether you are signed in to it. What a project brings is not started before you trust it. The
values of variables and headers are not shown.

  --no-connect   do not start or ask it
  --json         as JSON: name, scope, config, status, error, file, env and headers (names only),
                 trust, idle, signIn, alsoIn

${RUN_FLAGS_HELP}

Examples:
  heddle mcp get files
  heddle mcp get tracker --no-connect --json

Exit codes: 0 shown, whatever its status; 1 an error, or there is no such server.
`;

export const get: McpAction = {
  help: HELP,
  flags: { '--json': 'switch', '--no-connect': 'switch' },
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const admin = await openServerAdmin(engine, { config: args.config });
    const server = admin.find(name);
    const reached = args.has('--no-connect') ? unreached(server) : await admin.reach(server);
    const view = viewOf(server, admin, reached);
    if (args.has('--json')) printJson(view);
    else printLines(linesOf(view, reached));
    return 0;
  },
};

function viewOf(server: AdminServer, { location, trust }: ServerAdmin, reached: Reached | null) {
  const { name, scope, config, idle } = server;
  const { env, headers } = server.server.raw;
  const written = writtenServers(location).filter((each) => each.name === name);
  const file = written.find((each) => each.scope === scope)?.file;
  return {
    ...{ name, scope, config },
    ...(reached && { status: reached.status }),
    ...(reached?.error !== undefined && { error: reached.error }),
    ...(file !== undefined && { file }),
    env: namesIn(env),
    headers: namesIn(headers),
    ...(scope === 'project' && trust && { trust }),
    ...(idle && { idle }),
    signIn: signInOf(server, location.configHome),
    alsoIn: written.filter((each) => each.scope !== scope).map((each) => ({ scope: each.scope, file: each.file })),
  };
}

/** In the order and the words of the reference, followed by Heddle's own fields. */
function linesOf(view: ReturnType<typeof viewOf>, reached: Reached | null): string[] {
  const { name, scope, config, file, env, headers, trust, idle, signIn, alsoIn } = view;
  const issue = reasonOf(reached);
  const args = Array.isArray(config.args) ? config.args.map(String) : [];
  const rows: (string | null)[] = [
    `Scope: ${SCOPE_TEXTS[scope]}`,
    `Status: ${statusText(reached)}`,
    issue === null ? null : `Issue: ${issue}`,
    `Type: ${config.type}`,
    ...(config.type === 'stdio' ? [`Command: ${config.command}`, `Args: ${args.join(' ')}`.trimEnd()] : []),
    config.url === undefined ? null : `URL: ${config.url}`,
    ...(headers.length > 0 ? ['Headers:', ...headers.map((each) => `  ${each}: ***`)] : []),
    ...(config.type === 'stdio' ? ['Environment:', ...env.map((each) => `  ${each}=***`)] : []),
    file === undefined ? null : `File: ${file}`,
    trust === undefined ? null : `Trust: ${trust}`,
    idle === undefined ? null : `Not started: ${idle.reason}`,
    signIn ? `Signed in: ${signInText(signIn)}` : null,
    view.status === 'needs-auth' ? `Sign in: heddle mcp login ${shellWord(name)}` : null,
    ...alsoIn.map((each) => `Also in: ${each.scope} (${each.file})`),
  ];
  const isWritten = SERVER_SCOPES.some((each) => each === scope);
  const remove = `To remove this server, run: heddle mcp remove ${shellWord(name)} -s ${scope}`;
  return [
    `${printable(name)}:`,
    ...rows.flatMap((row) => (row === null ? [] : [`  ${printable(row)}`])),
    ...(isWritten ? ['', printable(remove)] : []),
  ];
}

const SCOPE_TEXTS: Readonly<Record<AdminServer['scope'], string>> = {
  local: 'Local config (private to you in this project)',
  project: 'Project config (shared via .mcp.json)',
  user: 'User config (available in all your projects)',
  dynamic: 'Dynamic config (from the command line)',
  plugin: 'Plugin',
  agent: 'Agent',
};

function signInText({ authorizationServer, expiresAt, canRenew }: NonNullable<ReturnType<typeof signInOf>>): string {
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`;
  return `at ${authorizationServer}${until}${canRenew ? ', renewed by itself' : ''}`;
}

function namesIn(values: unknown): string[] {
  return isObject(values) ? Object.keys(values) : [];
}
