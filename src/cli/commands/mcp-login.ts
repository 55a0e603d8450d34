import { openServerAdmin } from '../../host/mcp-admin.ts';
import { logIn, logOut } from '../../host/mcp-login.ts';
import { Aborted } from '../../util/abort.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import { onSignals } from '../signals.ts';
import { openBrowser } from './browser.ts';
import type { McpAction } from './mcp.ts';
import { oauthOf } from './mcp-add.ts';
import { RUN_FLAGS } from './mcp-list.ts';
import { countFlag } from './sessions-place.ts';
import { canAsk, sayLines, tell } from './terminal.ts';

const LOGIN_HELP = `Usage: heddle mcp login [options] NAME

Signs in to a remote server that asks for it (OAuth), in your browser. On a terminal the browser is
opened; in any case the address is printed, and the browser must be on this machine: it comes back
to 127.0.0.1. The tokens are kept in the config home for this server's address, readable by you
alone, and renewed by themselves.

  --client-id ID        a program that was registered by hand, where the authorization server
                        registers none by itself; its secret, if it has one, is read from
                        MCP_CLIENT_SECRET
  --callback-port PORT  the port that it was registered with: http://127.0.0.1:PORT/callback
  --scopes 'A B'        what to ask for, in the place of what the server asks for
  --wait SECONDS        how long you may take (default 300)

Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.

Examples:
  heddle mcp login tracker
  heddle mcp login --client-id heddle-desk --callback-port 7777 tracker

Exit codes: 0 signed in, 1 not.
`;

const LOGOUT_HELP = `Usage: heddle mcp logout NAME

Forgets the sign-in to a server, and has its tokens revoked where the authorization server can do
that.

Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.

Examples:
  heddle mcp logout tracker
  heddle mcp logout --mcp-config servers.json tracker
`;

export const login: McpAction = {
  help: LOGIN_HELP,
  flags: { '--client-id': 'text', '--callback-port': 'text', '--scopes': 'text', '--wait': 'text' },
  run: RUN_FLAGS,
  async act(args, engine) {
    const [name = ''] = takeWords(args.words, ['NAME']);
    const scope = args.text('--scopes');
    const clientSecret = process.env.MCP_CLIENT_SECRET;
    const options = {
      ...oauthOf(args),
      ...(scope !== undefined && { scope }),
      ...(clientSecret && { clientSecret }),
      patienceMs: countFlag(args, '--wait', 300) * 1000,
      show,
    };
    const admin = await openServerAdmin(engine, { config: args.config });
    const stop = new AbortController();
    const signals = onSignals(stop);
    try {
      const { authorizationServer } = await logIn(admin.find(name), admin, options, stop.signal);
      sayLines([`You are signed in to ${printable(name)}, at ${printable(authorizationServer)}.`]);
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
      tell(`nobody was signed in to ${printable(name)}`);
      return 1;
    }
    sayLines([`The sign-in to ${printable(name)} is forgotten.`]);
    if (notRevoked !== null) tell(`its tokens were not revoked: ${printable(notRevoked)}`);
    return 0;
  },
};

/** On stdout, so that a program that has started us can read where to send its user. */
function show(address: string): void {
  sayLines(['Sign in here:', `  ${address}`]);
  if (canAsk(process.stdout)) openBrowser(address);
}
