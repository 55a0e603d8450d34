import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Aborted, abortReason } from '../abort.ts';
import type { Logger } from '../runtime.ts';
import { startTimer } from '../timer.ts';
import { createProcessFinder } from './process-finder.ts';
import { createProcessTags } from './process-mark.ts';
import { type OutputEnd, reportStdio, type WatchedChild, type WatchedOutput, watchOutput } from './process-output.ts';
import { createSupervisor, type ToolDeadline } from './process-supervisor.ts';
import { endTree, groupExists, treeLives } from './process-tree.ts';
import { SpawnError } from './spawn-error.ts';

export interface ProcessSpec {
  /** The program and its arguments. No shell runs unless the program is one. */
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which the whole tree is ended. Absent: no limit. */
  timeoutMs?: number;
  /** Called with each piece of output as it arrives. */
  onOutput?: (stream: 'stdout' | 'stderr', data: Buffer) => void;
  /** Called with the process id, which is also the id of its group, once the process runs. */
  onStart?: (pid: number) => void;
  /** Opens REPORT_FD for the process; the outcome contains its report. */
  reports?: boolean;
  /** The content of its stdin; absent: empty. The process need not read it. */
  input?: string;
  /** Called with its stdin once it runs, instead of `input`: it stays open until the caller ends it. */
  onInput?: (stdin: Writable) => void;
  /** Ends the processes that it started when it ends. */
  endsTree?: boolean;
}

export interface ProcessOutcome extends OutputEnd {
  timedOut: boolean;
  /** Set with `stillRunning`: whether the processes that the command left still live. */
  livesOn?: () => Promise<boolean>;
  /** Files that it has changed, in a session with file checkpoints. */
  changed?: readonly ChangedText[];
}

/** A file before and after a process; null: there was none. */
export interface ChangedText {
  path: string;
  before: string | null;
  after: string | null;
}

/** Starts processes so that none of them outlives this one: not on abort, not at the end, not after a kill. */
export interface Processes {
  /**
   * Runs one process to its end, with only `input` on stdin and with its own session. Rejects with a SpawnError when it
   * cannot be started, and with the abort reason, once its whole tree is gone, when `signal` aborts or `close` is
   * called.
   */
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome>;
  /** Ends every process that was started and still lives, including those that commands left in the background. */
  close(): Promise<void>;
}

/** Processes that are stopped when nothing is heard of this one for too long. */
export interface WatchedProcesses extends Processes {
  /** Says that this process still holds its sessions. Needed only with a `deadline`. */
  tick(): void;
}

export interface ProcessesOptions {
  log: Logger;
  /** Milliseconds between SIGTERM and SIGKILL for a tree. */
  graceMs?: number;
  /** When processes are stopped because no tick comes; null: they never are. */
  deadline?: ToolDeadline | null;
}

export function createProcesses({ log, graceMs = 500, deadline = null }: ProcessesOptions): WatchedProcesses {
  const tags = createProcessTags();
  const finder = createProcessFinder({ ownTrees: true });
  const supervisor = createSupervisor({ mark: tags.mark, log, deadline });
  /** By process group. */
  const running = new Map<number, WatchedOutput>();
  /** Groups whose command has ended but which still have members. */
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
      // Another process continues the session: this tree must not have one more effect.
      const isTaken = signal.aborted && abortReason(signal).kind === 'taken';
      const ended = watched.outcome;
      ending ??= endTree(tree, { graceMs: isTaken ? 0 : graceMs, finder, ended }).then(watched.letGoSoon);
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
    return { ...outcome, timedOut, ...(outcome.stillRunning && { livesOn: () => treeLives(tree, finder) }) };
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
    await endTree({ groups: [...running.keys(), ...leftBehind], mark: tags.mark }, { graceMs, finder });
    supervisor.dismiss();
    const last = [...running.values()];
    for (const watched of last) watched.letGoSoon();
    await Promise.all(last.map((watched) => watched.outcome));
  }

  return {
    run,
    tick: () => supervisor.tick(),
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
  // Checked before the fork, so that the reason is certain: a child whose chdir fails can also look like a command that
  // exits with 127.
  if (!existsSync(spec.cwd)) throw spawnError(spec, Object.assign(new Error('no such directory'), { code: 'ENOENT' }));
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
  // The fork is done: without a pid it failed, and the `error` event will have the reason.
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
