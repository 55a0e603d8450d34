import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { ATTACH_ID, type Attached, answerFirst, attachOver } from '../../admin/running/attached-transport.ts';
import { findRunning } from '../../admin/running/find-running.ts';
import { cannotAttach, joinSession } from '../../admin/running/join-session.ts';
import { type RunningSession, runningSessions, whyNotJoined } from '../../admin/running/running-sessions.ts';
import { lastLines, watchFile } from '../../admin/running/watch-session.ts';
import { findStored, type SessionsLocation } from '../../admin/sessions.ts';
import { stdioTransport } from '../../host/serve/stdio.ts';
import { Tty } from '../../tui/term/tty.ts';
import { runTui } from '../../tui/tui.ts';
import { printable } from '../../util/text/printable.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { duplexTransport } from '../../wire/link/duplex-transport.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { whyPlain } from '../flags/is-interactive.ts';
import { printHelp, printRemark } from '../terminal/terminal.ts';
import { enterServer } from './server/enter-server.ts';
import { openSessionsLocation } from './sessions-location.ts';

export const ATTACH_HELP = `Usage: heddle attach [HOST:][SESSION] [--watch] [--stdio] [--home DIR]
       heddle attach http[s]://HOST[:PORT]/SESSION [--watch] [--stdio]

Joins a session that runs: in another terminal, or without one after /detach, heddle --bg or a
connection that broke. Several terminals can drive one session; a question goes to all of them, and
the first answer counts. /detach, /exit or closing the terminal leaves the session running.

SESSION is an id, the beginning of one, or a title; without it, the only session that runs. HOST: is
another machine, reached as ssh HOST heddle attach --stdio SESSION.

A URL joins a session of heddle serve. The token is in HEDDLE_SERVER_TOKEN; for the server of this
home it is found.

A session in a terminal asks there who may join, unless the setting terminal.attach says "own" or
"never". A session without a terminal lets its user in.

  --watch      only look; also at sessions of other programs, from their files
  --stdio      lines of the protocol on stdin and stdout, for programs
  --home DIR   of another config home

Examples:
  heddle attach
  heddle attach 3f2a91c0
  heddle attach --watch 3f2a91c0
  heddle attach build.example.org:3f2a91c0

Exit codes: 0 left or ended, 1 an error.
`;

/** How much of what was said before is shown. */
const HISTORY = 60;
/** The terminal of a session may ask its person first. */
const PATIENCE_MS = 40_000;

/** `heddle attach …`; resolves with the exit code. */
export async function runAttach(argv: readonly string[]): Promise<number> {
  const own = { '--watch': 'switch', '--stdio': 'switch', '--home': 'text' } as const;
  const args = parseCommandArgs(argv, { command: 'heddle attach', own, run: [] });
  if (!args) {
    printHelp(ATTACH_HELP);
    return 0;
  }
  const [word] = takeWords(args.words, ['session'], 0);
  const isStdio = args.has('--stdio');
  const { stdin, stdout } = process;
  if (!isStdio && !(stdin.isTTY && stdout.isTTY))
    throw usage('heddle attach needs a terminal; --stdio is for programs');
  const role = args.has('--watch') ? 'watch' : 'drive';
  const entered = /^https?:/.test(word ?? '')
    ? await enterServer(word ?? '', role)
    : await enterNamed(word, role, args);
  return isStdio ? pipe(entered) : show(entered);
}

function enterNamed(word: string | undefined, role: Role, args: CommandArgs): Promise<Entered> {
  const { host, session } = namedIn(word);
  const { signal } = new AbortController();
  return host === null ? enter(session, role, openSessionsLocation(args), signal) : enterThere(host, session, role);
}

interface Entered extends Attached {
  cwd: string;
}

type Role = 'drive' | 'watch';

/** `build:3f2a`, `build:`, `3f2a`. */
function namedIn(word: string | undefined): { host: string | null; session: string | undefined } {
  if (word === undefined) return { host: null, session: undefined };
  const [, host, session] = /^([^\s:/]+):(.*)$/.exec(word) ?? [];
  if (host === undefined) return { host: null, session: word };
  if (host.startsWith('-')) throw usage(`'${printable(host)}' is no name of a machine`);
  return { host, session: session === '' ? undefined : session };
}

async function enter(
  name: string | undefined,
  role: Role,
  location: SessionsLocation,
  signal: AbortSignal,
): Promise<Entered> {
  const isFile = role === 'watch' && name !== undefined;
  const running = isFile ? await runningOrStored(name, location) : await findRunning(name, location);
  if ('path' in running) return watchStored(running, signal);
  const problem = whyNotJoined(running);
  if (problem !== null && role === 'watch') return watchStored(await findStored(running.sessionId, location), signal);
  if (problem !== null) throw cannotAttach(running.sessionId, problem);
  return joinRunning(running, role, location);
}

/** Who watches may name a session that nobody runs. */
async function runningOrStored(name: string, location: SessionsLocation) {
  const found = runningSessions(location.home).filter(({ sessionId }) => sessionId.startsWith(name));
  return found.length === 1 && found[0] ? found[0] : findStored(name, location);
}

async function watchStored(
  { sessionId, path }: { sessionId: string; path: string },
  signal: AbortSignal,
): Promise<Entered> {
  const transport = watchFile({ sessionId, path, history: HISTORY, signal });
  await transport.connect();
  const result = { session_id: sessionId, role: 'watch', heddle_version: HEDDLE_VERSION };
  return { transport: { ...transport, connect: async () => {} }, result, cwd: process.cwd() };
}

async function joinRunning(running: RunningSession, role: Role, location: SessionsLocation): Promise<Entered> {
  const { sessionId, record } = running;
  if (record?.terminal) printRemark('asking its terminal …');
  const name = `${process.env.USER || 'somebody'}, process ${process.pid} on ${hostname()}`;
  const { transport, pass } = await joinSession(running, { home: location.home, role, name, patienceMs: PATIENCE_MS });
  const { path } = await findStored(sessionId, location).catch(() => ({ path: null }));
  const earlier = () => (path === null ? [] : lastLines(path, { sessionId, history: HISTORY }));
  const attached = await attachOver(transport, { subtype: 'attach', role, name, pass }, earlier);
  noteVersion(attached);
  return { ...attached, cwd: record?.cwd ?? process.cwd() };
}

async function enterThere(host: string, session: string | undefined, role: Role): Promise<Entered> {
  const attached = await attachOver(overSsh(host, session, role), null, () => []);
  noteVersion(attached);
  return { ...attached, cwd: `${host}:` };
}

/** An upgrade does not change a session that runs. */
function noteVersion({ result: { heddle_version: version } }: Attached): void {
  if (version === HEDDLE_VERSION) return;
  printRemark(
    `the session runs version ${printable(String(version))}, this is ${HEDDLE_VERSION}; it keeps its own until it ends`,
  );
}

/** Lines of the protocol: first the answer to `attach`, then what the session says. */
async function pipe({ transport, result }: Entered): Promise<number> {
  const own = stdioTransport(process.stdin, process.stdout);
  const response = { subtype: 'success', request_id: ATTACH_ID, response: result };
  await own.write({ type: 'control_response', response });
  void forward(own, transport).finally(() => transport.endInput());
  try {
    for await (const line of transport.readMessages()) if (!(line instanceof Error)) await own.write(line);
  } catch {
    // Nobody reads any more.
  }
  await transport.close();
  await own.close();
  return own.readerGone() ? 1 : 0;
}

async function forward(from: Transport, to: Transport): Promise<void> {
  try {
    for await (const line of from.readMessages()) if (!(line instanceof Error)) await to.write(line);
  } catch {
    // The session has closed the connection.
  }
}

async function show({ transport, cwd }: Entered): Promise<number> {
  const { stdin, stdout, env } = process;
  const options = {
    ...{ env, cwd, version: HEDDLE_VERSION },
    connect: async () => answerFirst(transport),
    newId: () => crypto.randomUUID(),
    isGuest: true,
    ...{ home: null, isKept: false, sessionId: null },
  };
  const reason = whyPlain({}, env);
  const { exitCode, lines } =
    reason === null
      ? await runTui({ ...options, tty: new Tty({ stdin, stdout, env }) })
      : await (await import('../../tui/plain/run-plain.ts')).runPlain({
          ...options,
          reason,
          input: stdin,
          output: stdout,
          now: Date.now,
        });
  for (const line of lines) stdout.write(`${line}\n`);
  return exitCode;
}

/** `ssh HOST heddle attach --stdio SESSION`. What ssh asks for, it asks on the terminal itself. */
function overSsh(host: string, session: string | undefined, role: 'drive' | 'watch'): Transport {
  const words = ['heddle', 'attach', '--stdio', ...(role === 'watch' ? ['--watch'] : [])];
  const command = [...words, ...(session === undefined ? [] : [shellWord(session)])].join(' ');
  const child = spawn('ssh', ['-T', '--', host, command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<ExitInfo>((resolve) => {
    child.once('error', (error) =>
      resolve({ code: 1, signal: null, stderr: `ssh cannot be started: ${error.message}` }),
    );
    child.once('close', (code, signal) => resolve({ code, signal, stderr: '' }));
  });
  return duplexTransport({ input: child.stdout, output: child.stdin, exit, destroy: () => child.kill() });
}
