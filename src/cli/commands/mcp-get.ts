import { type AdminServer, openServerAdmin, type ServerAdmin } from '../../host/mcp-admin.ts';
import { writtenServers } from '../../host/mcp-files.ts';
import { signInOf } from '../../host/mcp-login.ts';
import { isObject } from '../../util/json.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import type { McpAction } from './mcp.ts';
import { RUN_FLAGS, targetOf } from './mcp-list.ts';
import { columns } from './show.ts';
import { sayJson, sayLines } from './terminal.ts';

const HELP = `Usage: heddle mcp get NAME [--json]

Shows how a server is configured and where that stands, whether it would be started, and whether
you are signed in to it. Nothing is started. The values of variables and headers are not shown.

  --json   as JSON: name, scope, config, file, env and headers (names only), trust, idle, signIn,
           alsoIn

Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.

Examples:
  heddle mcp get files
  heddle mcp get tracker --json
`;

export const get: McpAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const admin = await openServerAdmin(engine, { config: args.config });
    const view = viewOf(admin.find(name), admin);
    if (args.has('--json')) sayJson(view);
    else sayLines(columns(rowsOf(view, targetOf(admin.find(name)))));
    return 0;
  },
};

function viewOf(server: AdminServer, { place, trust }: ServerAdmin) {
  const { name, scope, config, idle } = server;
  const { env, headers } = server.server.given;
  const written = writtenServers(place).filter((each) => each.name === name);
  const file = written.find((each) => each.scope === scope)?.file;
  return {
    ...{ name, scope, config },
    ...(file !== undefined && { file }),
    env: namesIn(env),
    headers: namesIn(headers),
    ...(scope === 'project' && trust && { trust }),
    ...(idle && { idle }),
    signIn: signInOf(server, place.configHome),
    alsoIn: written.filter((each) => each.scope !== scope).map((each) => ({ scope: each.scope, file: each.file })),
  };
}

function rowsOf(view: ReturnType<typeof viewOf>, target: string): string[][] {
  const { name, scope, file, env, headers, trust, idle, signIn, alsoIn } = view;
  const rows: [string, string | undefined][] = [
    ['name', name],
    ['scope', `${scope}${file === undefined ? '' : `, in ${file}`}`],
    ['server', target],
    ['variables', env.join(', ')],
    ['headers', headers.join(', ')],
    ['trust', trust],
    ['not started', idle?.reason],
    ['signed in', signIn ? signInText(signIn) : ''],
    ['also in', alsoIn.map((each) => `${each.scope} (${each.file})`).join(', ')],
  ];
  return rows.flatMap(([label, text]) => (text ? [[label, printable(text)]] : []));
}

function signInText({ authorizationServer, expiresAt, canRenew }: NonNullable<ReturnType<typeof signInOf>>): string {
  const until = expiresAt === undefined ? '' : `, until ${expiresAt}`;
  return `at ${authorizationServer}${until}${canRenew ? ', renewed by itself' : ''}`;
}

function namesIn(values: unknown): string[] {
  return isObject(values) ? Object.keys(values) : [];
}
