import { createViewTracker } from '../view/tracker.ts';
import type { Transport } from '../wire/link/transport.ts';
import { App } from './app/app.ts';
import type { TuiEnd } from './app/tui-options.ts';
import { needsAsciiMarks } from './rows/colour-level.ts';
import { safeText } from './rows/safe-text.ts';
import type { SessionTarget } from './stage/stage.ts';
import type { ProjectTrust } from './stage/trust-decision.ts';
import { withAsciiMarks } from './term/ascii-marks.ts';
import { openDeathPipe } from './term/death-pipe.ts';
import { reportFailure } from './term/failure-report.ts';
import { withMaskedLog } from './term/masked-log.ts';
import type { Tty } from './term/tty.ts';
import { windowAsBefore } from './term/window-features.ts';

export interface RunTuiOptions {
  tty: Tty;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  version: string;
  /** Looks at the project's files before the session opens; absent: there is nothing to ask. */
  trust?: ProjectTrust;
  /** Opens the session of the launch, after the first frame, or another one. `stderr` takes its warnings. */
  connect: (stderr: (text: string) => void, target?: SessionTarget) => Promise<Transport>;
  newId: () => string;
  /** The config home; null where there is none. */
  home: string | null;
  /** False: no history and no draft on disk. */
  isKept: boolean;
  /** The id of a new session; null where a session is continued. */
  sessionId: string | null;
  /** Whether the session of the launch has a conversation already: its last turns are shown. */
  isContinued?: boolean;
  /** A command of the terminal, to begin with. */
  command?: string;
  /** Sent as soon as the session is open. */
  prompt?: string;
  /** The session is another process's: leaving it does not end it, and no signal to this process interrupts it. */
  isGuest?: boolean;
  /** Asks for a key in the terminal, which it has for itself, and stores it. */
  signIn?: () => Promise<void>;
}

/**
 * A person at a terminal as the host of a session. Resolves when the terminal has been given back and the session has
 * ended. SIGTERM interrupts and ends; SIGINT from outside interrupts, and ends when it comes again.
 */
export async function runTui({ tty, ...options }: RunTuiOptions): Promise<TuiEnd> {
  const tracker = createViewTracker();
  const { env, version } = options;
  const drawn = needsAsciiMarks(env) ? withAsciiMarks(tty) : tty;
  const terminal = env.HEDDLE_TUI_LOG ? withMaskedLog(drawn, env.HEDDLE_TUI_LOG) : drawn;
  const report = (error: unknown) => reportFailure(error, { env, version, now: new Date() });
  const app = new App({ ...options, terminal, tracker, now: Date.now, report });
  const signals = app.handleSignals(process);
  const release = captureStderr((text) => app.warn(text));
  const ended = app.run();
  takeOver(tty, windowAsBefore(env));
  try {
    const { exitCode, lines } = await ended;
    // What a session or a server has said last is foreign text.
    return { exitCode, lines: lines.map(safeText) };
  } finally {
    release();
    signals.dispose();
    tty.close();
  }
}

/** Changes the modes of the terminal, once the death pipe can restore them, and paints the first frame. */
function takeOver(tty: Tty, more: string): void {
  const deathPipe = openDeathPipe(tty.descriptors, { more });
  if (deathPipe) tty.guardedBy(deathPipe);
  tty.enter();
}

/**
 * What this process would write to stderr or to the console goes to the listener instead: warnings of Node, and texts of
 * packages. On the screen it would stand in the middle of the live rows. Returns a function that ends it.
 */
function captureStderr(listener: (text: string) => void): () => void {
  const { stderr } = process;
  const write = stderr.write;
  const printed = globalThis.console;
  const { log, info, debug, error } = printed;
  const captured = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    listener(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = rest.find((each) => typeof each === 'function');
    if (typeof done === 'function') queueMicrotask(() => done());
    return true;
  };
  stderr.write = captured as typeof write;
  // stdout is the screen.
  Object.assign(printed, { log: error, info: error, debug: error });
  return () => {
    stderr.write = write;
    Object.assign(printed, { log, info, debug });
  };
}
