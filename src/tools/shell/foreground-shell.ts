import { Aborted, followAbort } from '../../util/abort.ts';
import type { ProcessOutcome } from '../../util/process/process.ts';
import { SpawnError } from '../../util/process/spawn-error.ts';
import { startTimer } from '../../util/timer.ts';
import type { BackgroundTask } from '../background/background-tasks.ts';
import { createOutput, type Output } from '../output-limit.ts';
import { type ToolContext, ToolError } from '../tool.ts';
import type { NamedCommand } from './background-shells.ts';
import type { LetGoBy } from './foreground-calls.ts';
import { execShell, type ShellSpec } from './shell-exec.ts';
import { shellPort } from './shell-port.ts';

export interface ForegroundSpec extends Pick<ShellSpec, 'script' | 'sandbox'> {
  timeoutMs: number;
  /** The most of each stream that the model gets to see. */
  maxChars: number;
}

export interface ForegroundResult {
  /** The end of the command, or the background task in which it continues. */
  end: ProcessOutcome | 'aborted' | 'timeout' | { movedTo: BackgroundTask; by: LetGoBy };
  stdout: string;
  stderr: string;
  /** The file with all of stdout, where it is long. */
  stdoutFile: string | null;
}

/** Runs a command and waits until it ends or moves to the background. Throws a ToolError when it cannot start. */
export async function runInForeground(
  named: Omit<NamedCommand, 'toolUseId'>,
  { timeoutMs, maxChars, ...spec }: ForegroundSpec,
  context: ToolContext,
): Promise<ForegroundResult> {
  const { env, spillDir, toolUseId, workspace } = context;
  const { directory, foreground, background, guard } = context.service(shellPort);
  const outputs = {
    stdout: createOutput({ maxChars, spillDir, name: `${toolUseId}-stdout` }),
    stderr: createOutput({ maxChars, spillDir, name: `${toolUseId}-stderr` }),
  };
  let write: ((data: Buffer) => void) | null = null;
  let pid: number | null = null;
  const onStart = (started: number) => {
    pid = started;
  };
  const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => (write ?? outputs[stream].add)(data);
  const cwd = directory.enter();
  const { abort, release } = limitedAbort(context.signal, timeoutMs);
  const shell = { ...spec, command: named.command, cwd, env, guard, onOutput, onStart };
  const ended = execShell(workspace, shell, abort.signal);

  const moved = new Promise<ForegroundResult>((resolve) => {
    const takeBack = foreground.offer(toolUseId, (by) => {
      let soFar = { stdout: '', stderr: '' };
      const goOn = (toFile: (data: Buffer) => void, runsAs: (pid: number) => void) => {
        if (pid !== null) runsAs(pid);
        soFar = textsOf(outputs);
        write = toFile;
        for (const text of [soFar.stderr, soFar.stdout]) if (text !== '') toFile(Buffer.from(`${text}\n`));
        return ended;
      };
      const movedTo = background.adopt({ ...named, toolUseId }, { abort, goOn });
      release();
      resolve({ end: { movedTo, by }, ...soFar, stdoutFile: null });
    });
    ended.then(takeBack, takeBack);
  });
  const over = ended.catch(unlessAborted).then((end): ForegroundResult | Promise<ForegroundResult> => {
    release();
    if (write) return moved; // its outputs are closed already
    return { end, ...textsOf(outputs), stdoutFile: outputs.stdout.wholeFile() };
  });
  return Promise.race([over, moved]);
}

function unlessAborted(error: unknown): 'aborted' | 'timeout' {
  if (error instanceof Aborted) return error.kind === 'timeout' ? 'timeout' : 'aborted';
  throw error instanceof SpawnError ? new ToolError(error.message, { cause: error }) : error;
}

/** Aborts with the signal of the turn, or when the time is up, until it is released. */
function limitedAbort(signal: AbortSignal, ms: number): { abort: AbortController; release(): void } {
  const abort = new AbortController();
  const unfollow = followAbort(signal, abort);
  const timer = startTimer(ms, () => abort.abort(new Aborted('timeout')));
  return {
    abort,
    release() {
      clearTimeout(timer);
      unfollow();
    },
  };
}

/** Ends both outputs and returns their texts. */
function textsOf({ stdout, stderr }: Record<'stdout' | 'stderr', Output>): { stdout: string; stderr: string } {
  return { stdout: trimNewlines(stdout.end()), stderr: trimNewlines(stderr.end()) };
}

/** By hand: a pattern that ends at the end of the text looks at every line break as if it were the last. */
function trimNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1;
  return text.slice(0, end);
}
