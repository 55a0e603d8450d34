import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Aborted, abortReason } from './abort.ts';
import { createProcessTags } from './process-mark.ts';
import { type OutputEnd, reportStdio, type WatchedChild, type WatchedOutput, watchOutput } from './process-output.ts';
import { createSupervisor } from './process-supervisor.ts';
import { endTree, groupExists, treeLives } from './process-tree.ts';
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
  /** Called with the process id, which is that of its group, too, once it runs. */
  onStart?: (pid: number) => void;
  /** Opens REPORT_FD for it; what it writes there is in the outcome. */
  reports?: boolean;
  /** What it reads from its stdin; absent: nothing. One that does not read it is none the worse for it. */
  input?: string;
  /** Called with its stdin once it runs, in the place of `input`: it stays open until the caller ends it. */
  onInput?: (stdin: Writable) => void;
  /** What it has started itself ends with it. */
  endsTree?: boolean;
}

export interface ProcessOutcome extends OutputEnd {
  timedOut: boolean;
  /** Comes with `stillRunning`: whether what the command has left behind lives yet. */
  livesOn?: () => Promise<boolean>;
}

/** Starts processes so that nothing of them outlives us: not on abort, not at the end, not when we are killed. */
export interface Processes {
  /**
   * Runs one process to its end, with nothing but `input` on stdin and a session of its own. Rejects with a SpawnError
   * when it cannot be started, and with the abort reason, once its whole tree is gone, when `signal` aborts or `close` is
   * called.
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

export function createProcesses({ log, graceMs = 500 }: ProcessesOptions): Processes {
  const tags = createProcessTags();
  const supervisor = createSupervisor({ mark: tags.mark, log });
  /** By process group. */
  const running = new Map<number, WatchedOutput>();
  /** Groups whose command is over but which still have members. */
  const leftBehind = new Set<number>();
  let started = false;
  let closed: Promise<void> | null = null;

  async function run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome> {
    if (closed) throw new Aborted('shutdown');
    if (signal.aborted) throw abortReason(signal);
    supervisor.start();
    started = true;
    const { env, mark } = tags.next(spec.env);
    const child = await startChild({ ...spec, env });
    const group = child.pid;
    const tree = { groups: [group], mark };
    supervisor.watch(group);
    const watched = watchOutput(child, spec.onOutput);
    running.set(group, watched);
    spec.onStart?.(group);

    let ending: Promise<void> | null = null;
    const end = () => {
      ending ??= endTree(tree, graceMs).then(watched.letGoSoon);
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
    if (spec.endsTree) end();
    await ending;
    signal.removeEventListener('abort', end);
    running.delete(group);
    leftBehind.add(group);
    forgetEmptyGroups();
    if (signal.aborted) throw abortReason(signal);
    if (closed) throw new Aborted('shutdown');
    return { ...outcome, timedOut, ...(outcome.stillRunning && { livesOn: () => treeLives(tree) }) };
  }

  function forgetEmptyGroups(): void {
    for (const group of leftBehind) {
      if (groupExists(group)) continue;
      leftBehind.delete(group);
      supervisor.forget(group);
    }
  }

  async function close(): Promise<void> {
    if (!started) return;
    await endTree({ groups: [...running.keys(), ...leftBehind], mark: tags.mark }, graceMs);
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

type Child = WatchedChild & { readonly pid: number };

async function startChild(spec: ProcessSpec): Promise<Child> {
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: [hasInput(spec) ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(spec.reports ? reportStdio() : [])],
      detached: true,
    });
  } catch (error) {
    throw spawnError(spec, error);
  }
  child.stdin?.on('error', () => {});
  if (!spec.onInput) child.stdin?.end(spec.input);
  // The fork has happened by now: without a pid it failed, and `error` is about to say why.
  if (hasPid(child)) {
    if (child.stdin) spec.onInput?.(child.stdin);
    return child;
  }
  throw spawnError(spec, await new Promise((resolve) => child.once('error', resolve)));
}

function hasInput({ input, onInput }: ProcessSpec): boolean {
  return input !== undefined || onInput !== undefined;
}

function hasPid(child: ChildProcess): child is Child {
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
