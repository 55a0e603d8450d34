import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { Aborted, abortReason } from './abort.ts';
import { createSupervisor } from './process-supervisor.ts';
import { endTree, groupExists } from './process-tree.ts';
import type { Logger } from './runtime.ts';
import { startTimer } from './timer.ts';

export interface ProcessSpec {
  /** The program and its arguments; no shell is involved unless the program is one. */
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds until the whole tree is ended. Absent: no limit. */
  timeoutMs?: number;
  /** Called with each piece of output as it arrives. */
  onOutput?: (stream: 'stdout' | 'stderr', data: Buffer) => void;
}

export interface ProcessOutcome {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** A process started by the command still holds its output open; it was let go of (trust H-7). */
  stillRunning: boolean;
}

/** Starts processes so that nothing of them outlives us: not on abort, not at the end, not when we are killed. */
export interface Processes {
  /**
   * Runs one process to its end, with an empty stdin and a session of its own. Rejects with a SpawnError when it cannot
   * be started, and with the abort reason, once its whole tree is gone, when `signal` aborts or `close` is called.
   */
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome>;
  /** Ends everything that was started and still lives, also what commands had left in the background. */
  close(): Promise<void>;
}

export class SpawnError extends Error {
  override readonly name = 'SpawnError';
  /** Such as ENOENT. */
  readonly code: string | undefined;
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.code = (cause as NodeJS.ErrnoException | null)?.code;
  }
}

export interface ProcessesOptions {
  log: Logger;
  /** Milliseconds between asking a tree to end and killing it. */
  graceMs?: number;
}

/** The environment variable by which descendants are found again, wherever they moved. */
const MARK = 'HEDDLE_PROCESS_TAG';
export function createProcesses({ log, graceMs = 500 }: ProcessesOptions): Processes {
  // Not from the runtime's ids: two runs with the same seed must never end each other's processes.
  const runId = randomUUID();
  const ownMark = `${MARK}=${runId}.`;
  const supervisor = createSupervisor({ mark: ownMark, log });
  /** By process group. */
  const running = new Map<number, WatchedOutput>();
  /** Groups whose command is over but which still have members. */
  const leftBehind = new Set<number>();
  let count = 0;
  let closed: Promise<void> | null = null;

  async function run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome> {
    if (closed) throw new Aborted('shutdown');
    if (signal.aborted) throw abortReason(signal);
    supervisor.start();
    const tag = `${runId}.${++count}`;
    const child = await startChild(spec, tag);
    const group = child.pid;
    supervisor.watch(group);
    const watched = watchOutput(child, spec.onOutput);
    running.set(group, watched);

    let ending: Promise<void> | null = null;
    const end = () => {
      // The NUL ends the value in /proc: the mark of command 1 is not that of command 10.
      ending ??= endTree({ groups: [group], mark: `${MARK}=${tag}\0` }, graceMs).then(watched.letGoSoon);
    };
    let timedOut = false;
    const timer = startTimeout(spec.timeoutMs, () => {
      timedOut = true;
      end();
    });
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const outcome = await watched.outcome;
    clearTimeout(timer);
    await ending;
    signal.removeEventListener('abort', end);
    running.delete(group);
    leftBehind.add(group);
    forgetEmptyGroups();
    if (signal.aborted) throw abortReason(signal);
    if (closed) throw new Aborted('shutdown');
    return { ...outcome, timedOut };
  }

  function forgetEmptyGroups(): void {
    for (const group of leftBehind) {
      if (groupExists(group)) continue;
      leftBehind.delete(group);
      supervisor.forget(group);
    }
  }

  async function close(): Promise<void> {
    if (count === 0) return;
    await endTree({ groups: [...running.keys(), ...leftBehind], mark: ownMark }, graceMs);
    supervisor.dismiss();
    const last = [...running.values()];
    for (const watched of last) watched.letGoSoon();
    await Promise.all(last.map((watched) => watched.outcome));
  }

  return {
    run,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function startTimeout(ms: number | undefined, onTimeout: () => void): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : startTimer(ms, onTimeout);
}

type Child = ChildProcessByStdio<null, Readable, Readable> & { readonly pid: number };

async function startChild(spec: ProcessSpec, tag: string): Promise<Child> {
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [MARK]: tag },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    throw spawnError(spec, error);
  }
  // The fork has happened by now: without a pid it failed, and `error` is about to say why.
  if (hasPid(child)) return child;
  throw spawnError(spec, await new Promise((resolve) => child.once('error', resolve)));
}

function hasPid(child: ChildProcessByStdio<null, Readable, Readable>): child is Child {
  return child.pid !== undefined;
}

function spawnError(spec: ProcessSpec, error: unknown): SpawnError {
  return new SpawnError(`Cannot start ${spec.command}: ${spawnProblem(spec, error)}`, error);
}

function spawnProblem(spec: ProcessSpec, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!existsSync(spec.cwd)) return `the working directory ${spec.cwd} does not exist`;
  if (code === 'ENOENT') return 'no such program';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'E2BIG') return 'the command line or the environment is too long';
  return message;
}

/** How long output may be silent, and how long it may go on at all, after the command itself has ended (trust H-7). */
const SILENCE_MS = 1000;
const LINGER_MS = 3000;

interface WatchedOutput {
  outcome: Promise<Omit<ProcessOutcome, 'timedOut'>>;
  /** The tree was killed: wait no longer than another moment, whatever holds the pipes. */
  letGoSoon: () => void;
}

/**
 * Settles on `close`, when all output is here; never on `exit` alone, which loses the tail. But a daemon may hold the
 * pipes open for ever, so after `exit` the wait is bounded.
 */
function watchOutput(child: Child, onOutput: ProcessSpec['onOutput']): WatchedOutput {
  let silence: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const { promise: outcome, resolve } = deferred<Omit<ProcessOutcome, 'timedOut'>>();

  const settle = (stillRunning: boolean) => {
    clearTimeout(silence);
    clearTimeout(limit);
    resolve({ exitCode: child.exitCode, signal: child.signalCode, stillRunning });
  };
  const letGo = () => {
    child.stdout.destroy();
    child.stderr.destroy();
    settle(true);
  };
  const receive = (stream: 'stdout' | 'stderr') => (data: Buffer) => {
    silence?.refresh();
    onOutput?.(stream, data);
  };
  child.stdout.on('data', receive('stdout'));
  child.stderr.on('data', receive('stderr'));
  child.once('exit', () => {
    silence = setTimeout(letGo, SILENCE_MS);
    limit ??= setTimeout(letGo, LINGER_MS);
  });
  child.once('close', () => settle(false));

  return {
    outcome,
    letGoSoon: () => {
      limit ??= setTimeout(letGo, SILENCE_MS);
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
