import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findStored } from '../../admin/sessions.ts';
import { createServer } from '../../server/create-server.ts';
import { openEmbeddedStore } from '../../server/embedded/embedded-store.ts';
import { firstToken, LOCAL_TENANT } from '../../server/embedded/file-tokens.ts';
import { runningServer, type ServeLock, serveFolder, takeServeLock } from '../../server/embedded/serve-lock.ts';
import { USUAL_MODES } from '../../server/policy/launch-policy.ts';
import { messageOf } from '../../util/message-of.ts';
import { openAddress } from '../../util/process/open-address.ts';
import { HeddleError } from '../../wire/errors.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { openProcessEngine } from '../run/run.ts';
import { createLogger } from '../terminal/logger.ts';
import { printHelp, printLines, printRemark } from '../terminal/terminal.ts';
import { explorerRoutes } from './explorer.ts';
import { countFlag, openSessionsLocation } from './sessions-location.ts';
import { stopSignal } from './stop-signal.ts';

export const WEB_HELP = `Usage: heddle web [options] [SESSION]

Shows sessions in a browser: their trees, conversations, agents, files and costs, also while they
run, and continues them from any prompt. A server on this machine answers, for you alone: the page
is opened with a code that works once. If heddle serve runs on this home, its page is opened.

  --port N      the port (default 4151; 0: a free one)
  --read-only   nothing can be changed
  --no-open     only prints the address
  --home DIR    another config home, for reading; nothing is written there

Examples:
  heddle web
  heddle web 3f2a91c0
  heddle web --read-only --no-open --port 0

Exit codes: 0 ended with SIGINT or SIGTERM, or the page of a server was opened, 1 an error.
`;

const OWN: Readonly<Record<string, OwnFlag>> = {
  ...{ '--port': 'text', '--read-only': 'switch', '--no-open': 'switch', '--home': 'text' },
};
const PORT = 4151;
const DRAIN_MS = 10_000;
/** A page reads many small pieces while a person scrolls. */
const RATE = { perSecond: 200, burst: 1000 };

/** `heddle web`; resolves with the exit code. */
export async function runWeb(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, { command: 'heddle web', own: OWN, run: [] });
  if (!args) {
    printHelp(WEB_HELP);
    return 0;
  }
  const [name] = takeWords(args.words, ['SESSION'], 0);
  const location = openSessionsLocation(args);
  const session = name === undefined ? null : (await findStored(name, location)).sessionId;
  const isReadOnly = args.has('--read-only') || args.has('--home');
  const other = args.has('--home') ? null : runningServer(location.home);
  if (other) return openAt(other.url, adminToken(location.home), { session, isReadOnly, args });
  return serveHere(location.home, { session, isReadOnly, args });
}

interface Opening {
  session: string | null;
  isReadOnly: boolean;
  args: CommandArgs;
}

/** A server that only reads keeps its own files elsewhere, and needs no lock: nothing of the home is touched. */
async function serveHere(home: string, { session, isReadOnly, args }: Opening): Promise<number> {
  const port = countFlag(args, '--port', PORT);
  if (port > 65_535) throw usage(`option '--port' is at most 65535, not ${port}`);
  const logger = createLogger(args.config);
  const lock: ServeLock | null = isReadOnly ? null : await takeServeLock(home);
  const folder = isReadOnly ? mkdtempSync(join(tmpdir(), 'heddle-web-')) : serveFolder(home);
  const engine = openProcessEngine(logger.log);
  const store = await openEmbeddedStore({ folder, clock: engine.runtime.clock, log: logger.log });
  const policy = { roots: ['/'], modes: USUAL_MODES, allow: [], defaults: {}, controls: [] };
  const routes = explorerRoutes({
    ...{ home, runtime: engine.runtime, tokens: store.tokens, isReadOnly },
    release: (id) => server.release(id),
  });
  const server = createServer({ engine, store, policy, routes, rate: RATE });
  try {
    const { url } = await server.listen({ host: '127.0.0.1', port });
    await firstToken(store.tokens, join(folder, 'admin-token'));
    await lock?.announce(url);
    const end = stopSignal();
    await openAt(url, readFileSync(join(folder, 'admin-token'), 'utf8').trim(), { session, isReadOnly, args });
    await end;
    await server.drain(DRAIN_MS);
    return 0;
  } finally {
    await store.close();
    await engine.close();
    lock?.release();
    logger.close();
    if (isReadOnly) rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a code, and opens the page with it, or prints the address. */
async function openAt(url: string, token: string, { session, isReadOnly, args }: Opening): Promise<number> {
  const code = await pageCode(url, token, isReadOnly);
  const address = `${url}/#code=${code}${session === null ? '' : `/s/${session}`}`;
  printLines([`heddle web: ${address}`]);
  printRemark('the code in this address works once, within two minutes; heddle web makes another one');
  if (!args.has('--no-open') && process.stdout.isTTY === true) openAddress(address);
  return 0;
}

async function pageCode(url: string, token: string, isReadOnly: boolean): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ read_only: isReadOnly });
  const answer = await fetch(`${url}/v1/page-codes`, { method: 'POST', headers, body }).catch((error) => {
    throw new HeddleError('connection_failed', `The server at ${url} does not answer: ${messageOf(error)}`);
  });
  const made = (await answer.json()) as { code?: string; error?: { message?: string } };
  if (made.code !== undefined) return made.code;
  const problem = made.error?.message ?? `it answered ${answer.status}`;
  throw new HeddleError('not_supported', `The server at ${url} has no page for this: ${problem}`);
}

/** Only the user can read it. */
function adminToken(home: string): string {
  const file = join(serveFolder(home), 'admin-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const message = `The server that runs needs its token, and ${file} cannot be read: ${messageOf(error)}`;
    throw new HeddleError('not_authenticated', message, { facts: { file, tenant: LOCAL_TENANT } });
  }
}
