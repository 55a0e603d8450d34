import { join } from 'node:path';
import { configHome } from '../../host/engine/environment.ts';
import { fileTokens, LOCAL_TENANT } from '../../server/embedded/file-tokens.ts';
import { serveFolder } from '../../server/embedded/serve-lock.ts';
import { SCOPES, type Scope, type TokenInfo, type Tokens } from '../../server/ports/tokens.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs } from '../flags/command-args.ts';
import { printHelp, printLines } from '../terminal/terminal.ts';
import { countFlag } from './sessions-location.ts';

export const SERVE_TOKEN_HELP = `Usage: heddle serve token create|list|revoke [ID] [options]

Tokens for the server of this home, while it runs or before. The secret of a token is printed once
and stored nowhere; only its hash is kept.

  create      makes a token and prints its secret
  list        lists the tokens
  revoke ID   revokes a token at once

  --name NAME      what the token is for (default: token)
  --scope SCOPE    what it allows; may be repeated (default: sessions:read):
                   ${SCOPES.slice(0, 4).join(', ')},
                   ${SCOPES.slice(4).join(', ')}
  --session ID     the token is for this session only
  --days N         it is valid for so many days (default: until it is revoked)
  --json           prints JSON

Examples:
  heddle serve token create --name phone --scope sessions:read --scope questions:answer
  heddle serve token list
  heddle serve token revoke 3f9c1a2b77d0

Exit codes: 0 done, 1 an error.
`;

const OWN: Readonly<Record<string, OwnFlag>> = {
  ...{ '--name': 'text', '--scope': 'texts', '--session': 'text', '--days': 'text', '--json': 'switch' },
};

const DAY_MS = 24 * 3600_000;

/** `heddle serve token …`; resolves with the exit code. */
export async function runServeToken(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, { command: 'heddle serve token', own: OWN, run: [] });
  if (!args) {
    printHelp(SERVE_TOKEN_HELP);
    return 0;
  }
  const [action = '', ...rest] = args.words;
  const now = () => Date.now();
  const tokens = fileTokens(join(serveFolder(configHome(process.env)), 'tokens.json'), { now });
  if (action === 'create' && rest.length === 0) return create(tokens, args, now());
  if (action === 'list' && rest.length === 0) return list(tokens, args);
  const [id] = rest;
  if (action === 'revoke' && id !== undefined && rest.length === 1) return revoke(tokens, id);
  throw usage('heddle serve token needs create, list or revoke ID (heddle serve token --help)');
}

async function create(tokens: Tokens, args: CommandArgs, now: number): Promise<number> {
  const days = countFlag(args, '--days', 0);
  const { info, secret } = await tokens.create({
    tenant: LOCAL_TENANT,
    name: args.text('--name') ?? 'token',
    scopes: scopesIn(args),
    sessionId: args.text('--session') ?? null,
    expiresAt: days === 0 ? null : now + days * DAY_MS,
  });
  printLines([args.has('--json') ? JSON.stringify({ ...info, token: secret }) : secret]);
  return 0;
}

function scopesIn(args: CommandArgs): Scope[] {
  const given = args.texts('--scope');
  const unknown = given.find((each) => !SCOPES.includes(each as Scope));
  if (unknown !== undefined)
    throw usage(`option '--scope' is one of ${SCOPES.join(', ')}, not '${unknown}'`, { unknown });
  return given.length === 0 ? ['sessions:read'] : (given as Scope[]);
}

async function list(tokens: Tokens, args: CommandArgs): Promise<number> {
  const all = await tokens.list(LOCAL_TENANT);
  if (args.has('--json')) printLines([JSON.stringify(all)]);
  else printLines(all.length === 0 ? ['There are no tokens.'] : all.map(described));
  return 0;
}

function described({ id, name, scopes, sessionId, expiresAt }: TokenInfo): string {
  const session = sessionId === null ? '' : `  session ${sessionId}`;
  const until = expiresAt === null ? '' : `  until ${new Date(expiresAt).toISOString()}`;
  return `${id}  ${name}  ${scopes.join(' ')}${session}${until}`;
}

async function revoke(tokens: Tokens, id: string): Promise<number> {
  if (!(await tokens.revoke(LOCAL_TENANT, id))) {
    throw usage(`there is no token ${id} (heddle serve token list)`, { unknown: id });
  }
  printLines([`The token ${id} is revoked.`]);
  return 0;
}
