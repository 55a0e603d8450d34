import { Aborted } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ProcessOutcome } from '../../util/process/process.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf } from '../../util/process/process-identity.ts';
import type { BackgroundTask, BackgroundTasks, TaskEnd } from '../background/background-tasks.ts';
import { openOutputFile } from '../output-file.ts';
import type { ShellGuard, ShellSandbox } from '../shell-sandbox.ts';
import { ToolError } from '../tool.ts';
import type { Workspace } from '../workspace.ts';
import { execShell } from './shell-exec.ts';

/** Starts commands in the background. They outlive the call and the turn that started them, not the session. */
export interface BackgroundShells {
  /**
   * Starts a command and returns at once. No time limit and no interrupt ends it. Throws a ToolError when its output
   * cannot be stored, because the output could not be read.
   */
  start(spec: BackgroundSpec): BackgroundTask;
  /** Takes over a command that already runs. When it throws, as `start` does, nothing has changed. */
  adopt(command: NamedCommand, running: RunningCommand): BackgroundTask;
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
  /** Writes the output so far and all later output, and reports the process id. Settles when the command ends. */
  goOn(write: (data: Buffer) => void, runsAs: (pid: number) => void): Promise<ProcessOutcome>;
}

export interface BackgroundSpec extends NamedCommand {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The sandbox of the command; null or absent: no sandbox. */
  sandbox?: ShellSandbox | null;
  /** Holds path rules outside of a sandbox. */
  guard?: ShellGuard | undefined;
}

export interface BackgroundShellsOptions {
  workspace: Workspace;
  tasks: BackgroundTasks;
  /** The directory for outputs; made on demand. */
  outputDir: string;
  maxOutputBytes?: number;
}

export function createBackgroundShells(options: BackgroundShellsOptions): BackgroundShells {
  const { workspace, tasks, outputDir, maxOutputBytes } = options;

  function start({ cwd, env, sandbox, guard, ...named }: BackgroundSpec): BackgroundTask {
    const abort = new AbortController();
    return adopt(named, {
      abort,
      async goOn(write, onStart) {
        const onOutput = (_stream: string, data: Buffer) => write(data);
        const spec = { command: named.command, script: 'marked' as const, cwd, env, sandbox, guard, onOutput, onStart };
        return execShell(workspace, spec, abort.signal);
      },
    });
  }

  function adopt({ command, description, toolUseId }: NamedCommand, { abort, goOn }: RunningCommand): BackgroundTask {
    const id = tasks.freshId('b');
    const file = openOutputFile({ dir: outputDir, name: id, extension: 'output', maxBytes: maxOutputBytes });
    if (typeof file.state === 'object') {
      throw new ToolError(`The command was not started, because its output cannot be kept: ${file.state.problem}`);
    }
    const handle = tasks.begin({
      id,
      type: 'local_bash',
      description: description ?? command,
      command,
      toolUseId,
      outputFile: file.path,
      isBackgrounded: true,
      stop: () => abort.abort(new Aborted('interrupt')),
    });
    const { host } = thisProcess();
    goOn(file.write, (pid) => handle.runsAs(identityOf({ pid, host })))
      .then((outcome) => {
        if (outcome.stillRunning) file.write(Buffer.from(STILL_RUNNING));
        return endOf(outcome);
      })
      .catch((error): TaskEnd => {
        if (error instanceof Aborted) return { status: 'killed' };
        file.write(Buffer.from(messageOf(error)));
        return { status: 'failed' };
      })
      .then((end) => {
        file.close();
        handle.end(end);
      });
    return handle.task;
  }

  return { start, adopt };
}

const STILL_RUNNING = '\n[A process that this command started is still running; its output is not read any more.]\n';

function endOf({ exitCode }: ProcessOutcome): TaskEnd {
  if (exitCode === null) return { status: 'killed', exitCode };
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode };
}
