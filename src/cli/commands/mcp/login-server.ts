import { type LoginOptions, logIn, logOut } from '../../../admin/server-login.ts';
import { openServerAdmin } from '../../../admin/servers.ts';
import { Aborted } from '../../../util/abort.ts';
import { openAddress } from '../../../util/process/open-address.ts';
import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { onSignals } from '../../terminal/signals.ts';
import { canAsk, printLines, printRemark } from '../../terminal/terminal.ts';
import { countFlag } from '../sessions-location.ts';
import { oauthOf } from './add-server.ts';
import type { McpAction } from './mcp-action.ts';
import { RUN_FLAGS, RUN_FLAGS_HELP } from './run-flags.ts';

const LOGIN_HELP = `Usage: heddle mcp login [options] NAME

Signs in to a remote server that asks for it (OAuth), in your browser. On a terminal the browser is
opened; in any case the address is printed, and the browser must be on this machine: it comes back
to 127.0.0.1. The tokens are kept in the config home for this server's address, readable by you
alone, and renewed by themselves.

  --client-id ID        a program that was registered by hand, where the authorization server
                        registers none by itself; its secret, if it has one, is read from
                        MCP_CLIENT_SECRET
                        ID may be the address of a document that describes the program (https://…)
  --client-credentials  sign in as that program, without a browser and a person, as in CI: with
                        MCP_CLIENT_SECRET, or with a private key (PEM) in MCP_CLIENT_KEY. Needs
                        --client-id and --issuer
  --issuer URL          the authorization server that the secret is for; it is sent to no other
  --callback-port PORT  the port that it was registered with: http://127.0.0.1:PORT/callback
  --scopes 'A B'        what to ask for, in the place of what the server asks for
  --wait SECONDS        how long you may take (default 300)

${RUN_FLAGS_HELP}

Examples:
  heddle mcp login tracker
  heddle mcp login --client-id heddle-desk --callback-port 7777 tracker
  heddle mcp login --client-credentials --client-id ci --issuer https://id.example.com tracker

Exit codes: 0 signed in, 1 not.
`;

const LOGOUT_HELP = `Usage: heddle mcp logout NAME

Forgets the sign-in to a server, and has its tokens revoked where the authorization server can do
that.

${RUN_FLAGS_HELP}

Examples:
  heddle mcp logout tracker
  heddle mcp logout --mcp-config servers.json tracker
`;

export const login: McpAction = {
  help: LOGIN_HELP,
  flags: {
    '--client-id': 'text',
    '--client-credentials': 'switch',
    '--issuer': 'text',
    '--callback-port': 'text',
    '--scopes': 'text',
    '--wait': 'text',
  },
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const scope = args.text('--scopes');
    const clientSecret = process.env.MCP_CLIENT_SECRET;
    const options = {
      ...oauthOf(args),
      ...(scope !== undefined && { scope }),
      ...(clientSecret && { clientSecret }),
      ...asProgram(args),
      patienceMs: countFlag(args, '--wait', 300) * 1000,
      show,
    };
    const admin = await openServerAdmin(engine, { config: args.config });
    const stop = new AbortController();
    const signals = onSignals(stop);
    try {
      const { authorizationServer } = await logIn(admin.find(name), admin, options, stop.signal);
      printLines([`You are signed in to ${printable(name)}, at ${printable(authorizationServer)}.`]);
      return 0;
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
      return signals.exitCode() ?? 1;
    } finally {
      signals.dispose();
    }
  },
};

export const logout: McpAction = {
  help: LOGOUT_HELP,
  flags: {},
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const admin = await openServerAdmin(engine, { config: args.config });
    const { wasSignedIn, notRevoked } = await logOut(admin.find(name), admin);
    if (!wasSignedIn) {
      printRemark(`nobody was signed in to ${printable(name)}`);
      return 1;
    }
    printLines([`The sign-in to ${printable(name)} is forgotten.`]);
    if (notRevoked !== null) printRemark(`its tokens were not revoked: ${printable(notRevoked)}`);
    return 0;
  },
};

function asProgram({ has, text }: CommandArgs): Pick<LoginOptions, 'asProgram'> {
  const issuer = text('--issuer');
  if (!has('--client-credentials')) {
    if (issuer !== undefined) throw usage("option '--issuer' goes with --client-credentials");
    return {};
  }
  if (issuer === undefined || !URL.canParse(issuer)) {
    throw usage("option '--client-credentials' needs --issuer URL: the authorization server the secret is for");
  }
  const privateKey = process.env.MCP_CLIENT_KEY;
  return { asProgram: { issuer, ...(privateKey && { privateKey }) } };
}

/** On stdout, so that a program that started Heddle can read the address for its user. */
function show(address: string): void {
  printLines(['Sign in here:', `  ${address}`]);
  if (canAsk(process.stdout)) openAddress(address);
}
