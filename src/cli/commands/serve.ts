import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { configHome } from '../../host/engine/environment.ts';
import { createServer } from '../../server/create-server.ts';
import { openEmbeddedStore } from '../../server/embedded/embedded-store.ts';
import { firstToken } from '../../server/embedded/file-tokens.ts';
import { serveFolder, takeServeLock } from '../../server/embedded/serve-lock.ts';
import type { AnsweredRequest } from '../../server/http/app.ts';
import type { ListenAddress, Listening } from '../../server/http/listen.ts';
import { listenForMetrics, Metrics } from '../../server/metrics/metrics.ts';
import { isControlName } from '../../server/policy/control-filter.ts';
import { type LaunchPolicy, USUAL_MODES } from '../../server/policy/launch-policy.ts';
import { FLAGS } from '../../wire/flags.ts';
import { toPermissionMode } from '../../wire/permission-modes.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { openProcessEngine } from '../run/run.ts';
import { createLogger } from '../terminal/logger.ts';
import { printHelp, printLines } from '../terminal/terminal.ts';
import { explorerRoutes } from './explorer.ts';
import { runServeToken } from './serve-token.ts';
import { countFlag } from './sessions-location.ts';
import { stopSignal } from './stop-signal.ts';

export const SERVE_HELP = `Usage: heddle serve [options]
       heddle serve token create|list|revoke …

Serves sessions over HTTP to any number of clients: programs, terminals, pages. Messages that were
acknowledged, questions and turns outlive clients and the server itself. It prints one line: the
address, and the file with the first token. No request is answered without a token.

  --listen ADDRESS       where to listen: 127.0.0.1 (default), another address (then --behind-proxy
                         must be given, because tokens must not cross a network in clear text), or
                         the path of a unix socket
  --port N               the port (default 4150; 0: a free one)
  --behind-proxy         a proxy with TLS stands before the server
  --host NAME            a name under which clients reach the server; may be repeated
  --origin ORIGIN        an origin whose pages may use the server; may be repeated
  --root DIR             where sessions may work (default: this directory); may be repeated
  --allow NAME           a permission mode, a field of config or a control request that clients may
                         use although the server keeps it from the network; may be repeated
  --running N            how many sessions work at the same time (default 20)
  --rate N               requests per second of a token (default 10; five times as many at once)
  --drain-seconds N      how long turns may go on after SIGTERM (default 25)
  --metrics-port N       answers /metrics for Prometheus on 127.0.0.1 at this port, without a token
  --log-requests         logs every request to stderr as JSON, without any content
  --fsync                what is acknowledged survives the loss of power, too

Of a run, for every session: --model, --fallback-model, --effort, --permission-mode,
--allowedTools, --disallowedTools, --settings, --setting-sources, --managed-settings, --trust,
--mcp-config, --strict-mcp-config, --append-system-prompt.

Examples:
  heddle serve
  heddle serve --port 0 --root ~/work --model sonnet
  curl -H "Authorization: Bearer $(cat ~/.heddle/serve/admin-token)" http://127.0.0.1:4150/v1/info

Exit codes: 0 drained after SIGTERM or SIGINT, 1 an error.
`;

export { SERVE_TOKEN_HELP } from './serve-token.ts';

const RUN_FLAGS = [
  ...['--model', '--fallback-model', '--effort', '--permission-mode', '--allowedTools', '--disallowedTools'],
  ...['--settings', '--setting-sources', '--managed-settings', '--trust', '--mcp-config', '--strict-mcp-config'],
  '--append-system-prompt',
];

const OWN: Readonly<Record<string, OwnFlag>> = {
  ...{ '--listen': 'text', '--port': 'text', '--behind-proxy': 'switch', '--host': 'texts', '--origin': 'texts' },
  ...{ '--root': 'texts', '--allow': 'texts', '--running': 'text', '--drain-seconds': 'text', '--fsync': 'switch' },
  ...{ '--metrics-port': 'text', '--log-requests': 'switch', '--rate': 'text' },
};

const PORT = 4150;
const RUNNING = 20;
const DRAIN_SECONDS = 25;
const RATE = 10;
const BURST = 5;

/** `heddle serve`; resolves with the exit code when it was drained. */
export async function runServe(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'token') return runServeToken(argv.slice(1));
  const args = parseCommandArgs(argv, { command: 'heddle serve', own: OWN, run: RUN_FLAGS });
  if (!args) {
    printHelp(SERVE_HELP);
    return 0;
  }
  takeWords(args.words, []);
  const address = addressIn(args);
  const policy = policyIn(args);
  const home = configHome(process.env);
  const logger = createLogger(args.config);
  const lock = await takeServeLock(home);
  const engine = openProcessEngine(logger.log);
  const store = await openEmbeddedStore({
    ...{ folder: serveFolder(home), clock: engine.runtime.clock, log: logger.log, sync: args.has('--fsync') },
    limits: { running: countFlag(args, '--running', RUNNING) },
  });
  // `heddle web` opens the page of the server that runs.
  const routes = explorerRoutes({
    ...{ home, runtime: engine.runtime, tokens: store.tokens, isReadOnly: false },
    withoutPage: (message) => logger.log('warn', `Programs are served, and no page: ${message}`),
    release: (id) => server.release(id),
  });
  const names = { hosts: args.texts('--host'), origins: args.texts('--origin') };
  const metrics = new Metrics();
  metrics.gauge('heddle_rss_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  const rate = countFlag(args, '--rate', RATE);
  const server = createServer({
    ...{ engine, store, policy, metrics, routes, ...names },
    rate: { perSecond: rate, burst: rate * BURST },
    ...(args.has('--log-requests') && { answered: logRequest }),
  });
  let measuring: Listening | null = null;
  try {
    if (args.has('--metrics-port')) {
      const port = countFlag(args, '--metrics-port', 0);
      measuring = await listenForMetrics(metrics, { host: '127.0.0.1', port });
    }
    const { url } = await server.listen(address);
    const tokenFile = await firstToken(store.tokens, join(serveFolder(home), 'admin-token'));
    await lock.announce(url);
    const end = stopSignal();
    if (measuring) printLines([`metrics: ${measuring.url}/metrics`]);
    printLines([`heddle serves ${url} (token: ${tokenFile})`]);
    await end;
    await server.drain(countFlag(args, '--drain-seconds', DRAIN_SECONDS) * 1000);
    return 0;
  } finally {
    await measuring?.close();
    await store.close();
    await engine.close();
    lock.release();
    logger.close();
  }
}

/** One JSON object a line: for collectors, not for people. */
function logRequest({ ms, ...about }: AnsweredRequest): void {
  const time = new Date().toISOString();
  process.stderr.write(`${JSON.stringify({ time, ...about, ms: Math.round(ms * 10) / 10 })}\n`);
}

function addressIn(args: CommandArgs): ListenAddress {
  const where = args.text('--listen') ?? '127.0.0.1';
  if (where.includes('/')) return { socket: where };
  const port = countFlag(args, '--port', PORT);
  if (port > 65_535) throw usage(`option '--port' is at most 65535, not ${port}`);
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(where);
  if (!isLoopback && !args.has('--behind-proxy')) {
    throw usage(
      `--listen ${where} would send tokens over the network in clear text: ` +
        'put a proxy with TLS before it and say --behind-proxy, or listen on 127.0.0.1',
    );
  }
  return { host: where, port };
}

function policyIn(args: CommandArgs): LaunchPolicy {
  const roots = args.texts('--root').length > 0 ? args.texts('--root') : [process.cwd()];
  const allowed = args.texts('--allow');
  const modes = allowed.flatMap((word) => toPermissionMode(word) ?? []);
  const keys = new Set<string>(FLAGS.map(({ key }) => key));
  const isKnown = (word: string) => toPermissionMode(word) !== null || keys.has(word) || isControlName(word);
  const unknown = allowed.find((word) => !isKnown(word));
  if (unknown !== undefined) {
    const expected = 'a permission mode, a field of config or a control request';
    throw usage(`option '--allow' names ${expected}, not '${unknown}'`, { unknown });
  }
  return {
    roots: roots.map(realRoot),
    modes: [...new Set([...USUAL_MODES, ...modes])],
    allow: allowed.filter((word) => keys.has(word)) as (keyof RunConfig)[],
    defaults: args.config,
    controls: allowed.filter(isControlName),
  };
}

function realRoot(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw usage(`option '--root': there is no directory ${path}`);
  }
}
