import { type AdminServer, openServerAdmin, type Reached } from '../../host/mcp-admin.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import type { McpAction } from './mcp.ts';
import { targetOf } from './mcp-lines.ts';
import { RUN_FLAGS } from './mcp-list.ts';
import { columns } from './show.ts';
import { sayJson, sayLines, tell, terminalOf } from './terminal.ts';

const HELP = `Usage: heddle mcp test NAME [--json]

Connects to a server as a session would, lists its tools with how long that took, and disconnects.
Of one that cannot be used it shows why, and what it has said on stderr.

  --json   as JSON: name, scope, config, status, tools (name, description, annotations), stderr
           and, where known, error, serverInfo, connectMs, listMs

Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.

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
    if (args.has('--json')) sayJson(reportOf(server, reached));
    else say(server, reached);
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

function say(server: AdminServer, { status, error, serverInfo, tools, connectMs, listMs, stderr }: Reached): void {
  sayLines([`${printable(server.name)}: ${targetOf(server)} (${server.scope})`]);
  if (status !== 'connected') {
    tell(`${status}${error === undefined ? '' : `: ${printable(error)}`}`);
    if (stderr !== '') process.stderr.write(`It said on stderr:\n${indented(stderr)}\n`);
    return;
  }
  const who = serverInfo ? ` to ${printable(`${serverInfo.name} ${serverInfo.version}`.trim())}` : '';
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  sayLines([
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
