import { addServer, checkServer, type ServerScope } from '../../../admin/server-files.ts';
import { isObject, type JsonObject, tryParseJson } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import { type CommandArgs, missingWord, takeWords } from '../../flags/command-args.ts';
import { printLines, printRemark } from '../../terminal/terminal.ts';
import { commandLocation } from '../command-location.ts';
import { type McpAction, scopeOf } from './mcp-action.ts';

const ADD_HELP = `Usage: heddle mcp add [options] NAME [--] COMMAND [ARGUMENT…]
       heddle mcp add [options] -t http|sse NAME URL

Adds an MCP server: a command that is run here, or the address of one elsewhere. Options of the
command itself need -- before it.

  -s, --scope SCOPE        local (default: you, in this directory), project (.mcp.json), user (you,
                           everywhere)
  -t, --transport KIND     stdio (default; http where it is an address), http, sse
  -e, --env NAME=VALUE     a variable for the command; several times
  -H, --header 'N: VALUE'  a header for the address; several times
  --client-id ID           login: the program that was registered by hand with the authorization
                           server
  --callback-port PORT     login: the port that it was registered with
                           (http://127.0.0.1:PORT/callback)

\${NAME} and \${NAME:-default} in commands, arguments, values and addresses stand for variables of
the environment, when a session starts: what is secret need not be in a file.

Examples:
  heddle mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  heddle mcp add -s project -e 'API_KEY=\${API_KEY}' search -- node server.mjs
  heddle mcp add -s user -t http -H 'X-Team: blue' tracker https://mcp.example.com/mcp
`;

const JSON_HELP = `Usage: heddle mcp add-json [-s local|project|user] NAME JSON

Adds an MCP server as it would stand in .mcp.json.

  -s, --scope SCOPE   local (default: you, in this directory), project (.mcp.json), user (you,
                      everywhere)

Examples:
  heddle mcp add-json search '{"command":"node","args":["server.mjs"]}'
  heddle mcp add-json -s user tracker '{"type":"http","url":"https://mcp.example.com/mcp"}'
`;

const SCOPE = { flags: { '--scope': 'text' }, short: { '-s': '--scope' } } as const;

export const add: McpAction = {
  help: ADD_HELP,
  flags: {
    ...SCOPE.flags,
    ...{ '--transport': 'text', '--env': 'texts', '--header': 'texts' },
    ...{ '--client-id': 'text', '--callback-port': 'text' },
  },
  short: { ...SCOPE.short, '-t': '--transport', '-e': '--env', '-H': '--header' },
  async act(args) {
    const [name, target, ...rest] = args.words;
    if (name === undefined) throw missingWord('NAME');
    if (target === undefined) throw missingWord('COMMAND or URL');
    const type = transportOf(args, target);
    const given = type === 'stdio' ? commandServer(args, target, rest) : remoteServer(args, type, target, rest);
    return write(name, given, args);
  },
};

export const addJson: McpAction = {
  help: JSON_HELP,
  ...SCOPE,
  async act(args) {
    const [name = '', json = ''] = takeWords(args.words, ['NAME', 'JSON']);
    const raw = tryParseJson(json);
    if (!isObject(raw)) throw usage('JSON must be an object, such as {"command":"node","args":["server.mjs"]}');
    return write(name, raw, args);
  },
};

async function write(name: string, raw: JsonObject, args: CommandArgs): Promise<number> {
  const scope = scopeOf(args) ?? 'local';
  const unknown = checkServer(raw, process.env);
  const file = await addServer({ name, scope, raw }, commandLocation());
  printLines([`${name} was added: scope ${scope}, in ${printable(file)}`]);
  if (unknown !== null) printRemark(unknown);
  for (const key of literalSecrets(scope, raw)) {
    printRemark(`the value of ${printable(key)} is in a file that is meant to be shared; \${NAME} keeps it out`);
  }
  return 0;
}

function transportOf({ text }: CommandArgs, target: string): 'stdio' | 'http' | 'sse' {
  const isAddress = /^https?:\/\//i.test(target);
  const given = text('--transport') ?? (isAddress ? 'http' : 'stdio');
  if (given === 'stdio' || given === 'http' || given === 'sse') return given;
  throw usage(`option '--transport' argument '${given}' is invalid. Allowed choices are stdio, http, sse.`);
}

function commandServer(args: CommandArgs, command: string, rest: readonly string[]): JsonObject {
  for (const flag of ['--header', '--client-id', '--callback-port']) {
    if (args.has(flag)) throw usage(`option '${flag}' is for remote servers`);
  }
  const env = args.texts('--env').map((text) => pairOf(text, '=', { flag: '--env', form: 'NAME=VALUE' }));
  return { type: 'stdio', command, args: [...rest], ...(env.length > 0 && { env: Object.fromEntries(env) }) };
}

function remoteServer(args: CommandArgs, type: 'http' | 'sse', url: string, [extra]: readonly string[]): JsonObject {
  if (extra !== undefined) throw usage(`unexpected argument '${extra}'`, { unknown: extra });
  if (args.has('--env')) throw usage("option '--env' is for commands");
  const headers = args.texts('--header').map((text) => pairOf(text, ':', { flag: '--header', form: "'Name: value'" }));
  const oauth = oauthOf(args);
  return {
    type,
    url,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
}

export function oauthOf({ text }: CommandArgs): { clientId?: string; callbackPort?: number } {
  const clientId = text('--client-id');
  const port = text('--callback-port');
  const callbackPort = Number(port);
  if (port !== undefined && !(Number.isInteger(callbackPort) && callbackPort > 0 && callbackPort < 65_536)) {
    throw usage(`option '--callback-port' needs a port, not '${port}'`);
  }
  return { ...(clientId !== undefined && { clientId }), ...(port !== undefined && { callbackPort }) };
}

function pairOf(text: string, sign: string, { flag, form }: { flag: string; form: string }): [string, string] {
  const at = text.indexOf(sign);
  const name = text.slice(0, at).trim();
  if (at < 0 || name === '') throw usage(`option '${flag}' needs ${form}, not '${text.split(sign)[0]}'`);
  const value = text.slice(at + 1);
  return [name, sign === ':' ? value.trim() : value];
}

/** Values that look like secrets, in a file that is checked in. */
function literalSecrets(scope: ServerScope, { env, headers }: JsonObject): string[] {
  if (scope !== 'project') return [];
  const entries = [env, headers].flatMap((each) => (isObject(each) ? Object.entries(each) : []));
  const isSecret = /key|token|secret|pass|auth|cookie/i;
  return entries.filter(([name, value]) => isSecret.test(name) && !String(value).includes('${')).map(([name]) => name);
}
