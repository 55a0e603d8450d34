import { Aborted } from '../util/abort.ts';
import { messageOf } from '../util/message-of.ts';
import type { ProcessOutcome } from '../util/process.ts';
import type { Ids, Logger } from '../util/runtime.ts';
import { openOutputFile } from './output-file.ts';
import type { ShellSandbox } from './shell-sandbox.ts';
import { ToolError } from './tool.ts';
import type { Workspace } from './workspace.ts';

/** Commands that run beside the conversation. They outlive the call and the turn that started them, not the session. */
export interface BackgroundShells {
  /**
   * Starts a command and returns at once. No time limit, no interrupt ends it. Throws a ToolError when there is no place
   * for its output: then nobody could follow it.
   */
  start(spec: BackgroundSpec): BackgroundShell;
  /** Takes over a command that already runs. Throws as `start` does; then nothing has changed. */
  adopt(command: NamedCommand, running: RunningCommand): BackgroundShell;
  get(id: string): BackgroundShell | undefined;
  /** All of the session, the ended ones too, in the order of their start. */
  list(): readonly BackgroundShell[];
  /** Ends a command with all it has started; resolves when that is done. False when it is not running. */
  stop(id: string): Promise<boolean>;
  /** Told of each command once it has ended and its output is complete. Returns what takes the listener away. */
  onEnd(listener: (shell: BackgroundShell) => void): () => void;
  /** Ends all that still run. */
  close(): Promise<void>;
}

export interface NamedCommand {
  command: string;
  description?: string;
  /** The call that started it. */
  toolUseId: string;
}

export interface RunningCommand {
  /** Ends it. */
  abort: AbortController;
  /** Writes what it has printed so far, and from now on all that it prints. Settles when it ends. */
  goOn(write: (data: Buffer) => void): Promise<ProcessOutcome>;
}

export interface BackgroundSpec extends NamedCommand {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** What it runs in; null or absent: nothing confines it. */
  sandbox?: ShellSandbox | null;
}

export interface BackgroundShell {
  readonly id: string;
  readonly command: string;
  readonly description: string | undefined;
  /** The call that started it. */
  readonly toolUseId: string;
  /** Where stdout and stderr go, in the order in which they arrive. */
  readonly outputFile: string;
  /** `failed`: an exit code other than 0, or it could not be started. `killed`: stopped, or ended by a signal. */
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  /** Null while it runs, and when there is none. */
  readonly exitCode: number | null;
}

export interface BackgroundShellsOptions {
  workspace: Workspace;
  ids: Ids;
  /** Where outputs go; made on demand. */
  outputDir: string;
  maxOutputBytes?: number;
  log: Logger;
}

type Job = { -readonly [Key in keyof BackgroundShell]: BackgroundShell[Key] };

interface Running {
  abort: AbortController;
  ended: Promise<void>;
}

export function createBackgroundShells(options: BackgroundShellsOptions): BackgroundShells {
  const jobs = new Map<string, Job>();
  const running = new Map<string, Running>();
  const listeners = new Set<(shell: BackgroundShell) => void>();

  function start({ cwd, env, sandbox, ...named }: BackgroundSpec): BackgroundShell {
    const abort = new AbortController();
    return adopt(named, {
      abort,
      async goOn(write) {
        const { execShell } = await import('./shell-exec.ts');
        const onOutput = (_stream: string, data: Buffer) => write(data);
        const spec = { command: named.command, script: 'marked' as const, cwd, env, sandbox, onOutput };
        return execShell(options.workspace, spec, abort.signal);
      },
    });
  }

  function adopt({ command, description, toolUseId }: NamedCommand, { abort, goOn }: RunningCommand): BackgroundShell {
    const id = freshId(options.ids, jobs);
    const file = openOutputFile({
      dir: options.outputDir,
      name: id,
      extension: 'output',
      maxBytes: options.maxOutputBytes,
    });
    if (typeof file.state === 'object') {
      throw new ToolError(`The command was not started, because its output cannot be kept: ${file.state.problem}`);
    }
    const job: Job = { id, command, description, toolUseId, outputFile: file.path, status: 'running', exitCode: null };
    const ended = goOn(file.write)
      .then((outcome) => {
        if (outcome.stillRunning) file.write(Buffer.from(STILL_RUNNING));
        Object.assign(job, endOf(outcome));
      })
      .catch((error) => {
        if (!(error instanceof Aborted)) file.write(Buffer.from(messageOf(error)));
        job.status = error instanceof Aborted ? 'killed' : 'failed';
      })
      .finally(() => {
        file.close();
        running.delete(id);
        tell(job);
      });
    jobs.set(id, job);
    running.set(id, { abort, ended });
    return job;
  }

  /** A listener that fails must not keep the others, or whoever waits for the end, from going on. */
  function tell(job: Job): void {
    for (const listener of listeners) {
      try {
        listener(job);
      } catch (error) {
        options.log('error', `The end of ${job.id} could not be told: ${messageOf(error)}`);
      }
    }
  }

  async function stop(id: string): Promise<boolean> {
    const job = running.get(id);
    if (!job) return false;
    job.abort.abort(new Aborted('interrupt'));
    await job.ended;
    return true;
  }

  return {
    start,
    adopt,
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()],
    stop,
    onEnd(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}

const STILL_RUNNING = '\n[A process that this command started is still running; its output is not read any more.]\n';

function endOf({ exitCode }: ProcessOutcome): Pick<Job, 'status' | 'exitCode'> {
  if (exitCode === null) return { status: 'killed', exitCode };
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode };
}

/** `b` and six hex digits, as hosts know them. */
function freshId(ids: Ids, taken: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const id = `b${ids.uuid().replaceAll('-', '').slice(-6)}`;
    if (!taken.has(id)) return id;
  }
}
