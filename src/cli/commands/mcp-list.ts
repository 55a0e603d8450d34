import { type AdminServer, openServerAdmin, type Reached } from '../../host/mcp-admin.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import type { McpAction } from './mcp.ts';
import { columns } from './show.ts';
import { sayJson, sayLines, tell } from './terminal.ts';

const HELP = `Usage: heddle mcp list [--no-connect] [--json]

Lists the servers that a run in this directory would have, and connects to all of them at once to
see how they are: connected, failed, needs-auth (heddle mcp login NAME), disabled, denied (by
settings), untrusted (heddle trust). Each has MCP_TIMEOUT milliseconds (default 30000). What a
project brings is not started before you trust it.

  --no-connect   only list them
  --json         as JSON: an array with name, scope, config, status and, where known, error,
                 serverInfo, tools, ms

Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.

Examples:
  heddle mcp list
  heddle mcp list --no-connect --json
`;

export const RUN_FLAGS = [
  ...['--settings', '--setting-sources', '--managed-settings', '--trust'],
  ...['--mcp-config', '--strict-mcp-config', '--plugin-dir', '--debug', '--debug-file'],
];

export const list: McpAction = {
  help: HELP,
  flags: { '--json': 'switch', '--no-connect': 'switch' },
  run: RUN_FLAGS,
  async act(args, engine) {
    takeWords(args.words, []);
    const admin = await openServerAdmin(engine, { config: args.config });
    const isQuiet = args.has('--no-connect');
    const rows = await Promise.all(
      admin.servers.map(async (server) => ({
        server,
        reached: isQuiet ? unreached(server) : await admin.reach(server),
      })),
    );
    if (args.has('--json')) sayJson(rows.map(reportOf));
    else sayLines(linesOf(rows));
    if (rows.length === 0 && !args.has('--json')) tell('there are no MCP servers here (heddle mcp add --help)');
    return 0;
  },
};

interface Row {
  server: AdminServer;
  reached: Reached | null;
}

/** Null for one that would be connected. */
function unreached({ idle }: AdminServer): Reached | null {
  return idle && { status: idle.status, error: idle.reason, tools: [], stderr: '' };
}

function reportOf({ server: { name, scope, config }, reached }: Row) {
  if (!reached) return { name, scope, config };
  const { status, error, serverInfo, tools, connectMs, listMs } = reached;
  return {
    ...{ name, scope, config, status },
    ...(error !== undefined && { error }),
    ...(serverInfo && { serverInfo }),
    ...(status === 'connected' && { tools: tools.map((tool) => tool.name), ms: (connectMs ?? 0) + (listMs ?? 0) }),
  };
}

function linesOf(rows: readonly Row[]): string[] {
  const lines = columns(
    rows.map(({ server, reached }) => [
      printable(server.name),
      reached ? stateOf(reached) : 'not asked',
      server.scope,
      targetOf(server),
    ]),
  );
  return rows.flatMap(({ reached }, at) => [
    lines[at] ?? '',
    ...(reached?.error === undefined ? [] : [`  ${printable(reached.error)}`]),
  ]);
}

/** What of it a person recognises: the command or the address. */
export function targetOf({ config: { type, command, args, url } }: AdminServer): string {
  const words = type === 'stdio' ? [command, ...(Array.isArray(args) ? args : [])] : [url, `(${type})`];
  return printable(words.map(String).join(' '));
}

function stateOf({ status, tools, connectMs = 0, listMs = 0 }: Reached): string {
  if (status !== 'connected') return status;
  return `connected, ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}, ${connectMs + listMs} ms`;
}
