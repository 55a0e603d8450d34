import { type AdminServer, openServerAdmin, type Reached } from '../../../admin/servers.ts';
import { printable } from '../../../util/text/printable.ts';
import { shellWord } from '../../../util/text/shell-word.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printLines, printRemark } from '../../terminal/terminal.ts';
import type { McpAction } from './mcp-action.ts';
import { RUN_FLAGS, RUN_FLAGS_HELP } from './run-flags.ts';
import { CHECKING, NO_SERVERS, statusAndReason, targetOf, unreached } from './server-lines.ts';

const HELP = `Usage: heddle mcp list [--no-connect] [--exit-code] [--json]

Lists the servers that a run in this directory would have, and connects to all of them at once to
see how they are: a line each, NAME: COMMAND or ADDRESS - STATUS, as programs read it. Each has
MCP_TIMEOUT milliseconds (default 30000). What a project brings is not started before you trust it
(heddle trust).

  --no-connect   only list them
  --exit-code    exit with 1 when one of them cannot be reached or wants a sign-in
  --json         as JSON: an array with name, scope, config, status (connected, failed, needs-auth,
                 disabled, denied, untrusted) and, where known, error, serverInfo, tools, ms

${RUN_FLAGS_HELP}

Examples:
  heddle mcp list
  heddle mcp list --no-connect --json

Exit codes: 0 listed, whatever their status; 1 an error, or with --exit-code a server that fails.
`;

export const list: McpAction = {
  help: HELP,
  flags: { '--json': 'switch', '--no-connect': 'switch', '--exit-code': 'switch' },
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
    if (args.has('--json')) printJson(rows.map(reportOf));
    else printLines(linesOf(rows, isQuiet));
    for (const { server, reached } of rows) {
      if (reached?.status !== 'needs-auth') continue;
      printRemark(`${printable(server.name)} wants a sign-in: heddle mcp login ${printable(shellWord(server.name))}`);
    }
    return args.has('--exit-code') && rows.some(isFailed) ? 1 : 0;
  },
};

interface Row {
  server: AdminServer;
  reached: Reached | null;
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

function linesOf(rows: readonly Row[], isQuiet: boolean): string[] {
  if (rows.length === 0) return [NO_SERVERS];
  const lines = rows.map(
    ({ server, reached }) => `${printable(server.name)}: ${targetOf(server)} - ${statusAndReason(reached)}`,
  );
  return isQuiet ? lines : [CHECKING, '', ...lines];
}

/** A server that is disabled, or that the user has yet to allow, is not a failure. */
function isFailed({ reached }: Row): boolean {
  return reached?.status === 'failed' || reached?.status === 'needs-auth';
}
