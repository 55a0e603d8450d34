import { type AdminServer, openServerAdmin, type Reached } from '../../../admin/servers.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { columns } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import type { McpAction } from './mcp-action.ts';
import { RUN_FLAGS, RUN_FLAGS_HELP } from './run-flags.ts';
import { targetOf } from './server-lines.ts';

const HELP = `Usage: heddle mcp test NAME [--json]

Connects to a server as a session would, lists its tools with how long that took, and disconnects.
Of one that cannot be used it shows why, and what it has said on stderr.

  --json   as JSON: name, scope, config, status, tools (name, description, annotations), stderr
           and, where known, error, serverInfo, connectMs, listMs

${RUN_FLAGS_HELP}

Examples:
  heddle mcp test files
  heddle mcp test tracker --json

Exit codes: 0 it can be used, 1 it cannot.
`;

export const test: McpAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const admin = await openServerAdmin(engine, { config: args.config });
    const server = admin.find(name);
    const reached = await admin.reach(server);
    if (args.has('--json')) printJson(reportOf(server, reached));
    else printReport(server, reached);
    return reached.status === 'connected' ? 0 : 1;
  },
};

function reportOf({ name, scope, config }: AdminServer, { tools, ...reached }: Reached) {
  const shown = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    annotations: tool.annotations,
  }));
  return { name, scope, config, ...reached, tools: shown };
}

function printReport(
  server: AdminServer,
  { status, error, serverInfo, tools, connectMs, listMs, stderr }: Reached,
): void {
  printLines([`${printable(server.name)}: ${targetOf(server)} (${server.scope})`]);
  if (status !== 'connected') {
    printRemark(`${status}${error === undefined ? '' : `: ${printable(error)}`}`);
    if (stderr !== '') process.stderr.write(`It said on stderr:\n${indented(stderr)}\n`);
    return;
  }
  const who = serverInfo ? ` to ${printable(`${serverInfo.name} ${serverInfo.version}`.trim())}` : '';
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  printLines([
    `connected${who} in ${connectMs} ms; ${count} in ${listMs} ms`,
    ...columns(
      tools.map(({ name, description }) => [`  ${printable(name)}`, firstLine(description)]),
      terminalOf(process.stdout, process.env),
    ),
  ]);
}

function firstLine(text: string): string {
  return printable(text.trim().split('\n')[0] ?? '').slice(0, 100);
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${printable(line)}`)
    .join('\n');
}
