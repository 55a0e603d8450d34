import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Processes, ProcessOutcome } from '../util/process/process.ts';
import { startTimer } from '../util/timer.ts';
import { answerOfCommand, failed, type HookAnswer, NO_ANSWER } from './answer.ts';
import { firstAnswer, lastAnswer, OutputHead } from './command-output.ts';
import type { CommandHook } from './hook.ts';

/** The environment of hook commands. */
export interface CommandEnvironment {
  processes: Processes;
  cwd: string;
  /** The variables, without those that are hidden from tools, too. */
  env: Readonly<Record<string, string | undefined>>;
  /** More variables, for this hook only. */
  variablesFor?(hook: CommandHook): Readonly<Record<string, string>>;
  /** Removes credentials from the output. */
  hide(text: string): string;
}

/** The result of a command that has answered. */
export interface CommandReport {
  answer: HookAnswer;
  stdout: string;
  stderr: string;
  /** Absent when the command did not end by itself. */
  exitCode?: number;
  outcome: 'success' | 'error' | 'cancelled';
}

export interface RunningCommand {
  /** Settles when the command has ended, or has asked not to be waited for. Never rejects. */
  answered: Promise<CommandReport>;
  /**
   * Settles when the command has ended, with its whole answer; for an asynchronous command, its final answer. Never
   * rejects.
   */
  ended: Promise<CommandReport>;
  output(): { stdout: string; stderr: string };
}

/**
 * Starts the command of a hook: the input comes on stdin, the answer by exit code and stdout. When its time is up, or
 * the signal fires, its whole process tree is ended. A command that answers `{"async":true}` continues within its own
 * time limit, even after the turn.
 */
export function startCommand(
  hook: CommandHook,
  input: JsonObject,
  environment: CommandEnvironment,
  { signal, onOutput }: { signal: AbortSignal; onOutput?: () => void },
): RunningCommand {
  const { event, timeoutMs } = hook;
  const head = new OutputHead();
  const life = limitedLife(signal, timeoutMs);
  const seen = () => ({ stdout: environment.hide(head.stdout), stderr: environment.hide(head.stderr) });
  let letGo: (report: CommandReport) => void = () => {};
  const early = new Promise<CommandReport>((resolve) => {
    letGo = resolve;
  });
  const detach = (answer: HookAnswer) => {
    life.detach(answer.asyncTimeoutMs ?? timeoutMs);
    letGo({ answer, ...seen(), outcome: 'success' });
  };
  if (hook.isAsync) detach({ ...NO_ANSWER, isAsync: true });
  const spec = {
    args: ['-c', hook.command],
    cwd: environment.cwd,
    env: { ...environment.env, ...hook.source.env, ...environment.variablesFor?.(hook) },
    input: `${JSON.stringify(input)}\n`,
    onOutput(stream: 'stdout' | 'stderr', data: Buffer) {
      head.add(stream, data);
      if (stream === 'stdout' && !life.isDetached) {
        const answer = firstAnswer(event, head.stdout);
        if (answer?.isAsync) detach(answer);
      }
      onOutput?.();
    },
  };
  const ended = runShell(environment.processes, spec, life.signal)
    .then(
      (end) => report(event, end, { ...seen(), isCut: head.isCut }),
      (error) => stopped(life.isLate ? `It took longer than ${timeoutMs / 1000} s` : messageOf(error), seen(), signal),
    )
    .finally(() => life.end());
  return { answered: Promise.race([early, ended]), ended, output: seen };
}

type Spec = Omit<Parameters<Processes['run']>[0], 'command'>;

/** Bash, as for the commands of tools; the plain shell where Bash is missing. */
async function runShell(processes: Processes, spec: Spec, signal: AbortSignal): Promise<ProcessOutcome> {
  try {
    return await processes.run({ ...spec, command: '/bin/bash' }, signal);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    return processes.run({ ...spec, command: '/bin/sh' }, signal);
  }
}

function report(
  event: string,
  { exitCode }: ProcessOutcome,
  output: { stdout: string; stderr: string; isCut: boolean },
): CommandReport {
  const { stdout, stderr } = output;
  const answer = answerOfCommand(event, { exitCode, ...output, stdout: lastAnswer(event, stdout) });
  return {
    answer,
    stdout,
    stderr,
    ...(exitCode !== null && { exitCode }),
    outcome: exitCode === 0 ? 'success' : 'error',
  };
}

function stopped(why: string, output: { stdout: string; stderr: string }, signal: AbortSignal): CommandReport {
  // The user who interrupted the turn needs no report about unfinished hooks.
  return { answer: signal.aborted ? NO_ANSWER : failed(why), ...output, outcome: 'cancelled' };
}

/** A signal that fires with the outer one, or when the time is up; once detached, only when the new time is up. */
function limitedLife(outer: AbortSignal, timeoutMs: number) {
  const own = new AbortController();
  let isLate = false;
  let isDetached = false;
  const onTime = () => {
    isLate = true;
    own.abort(new Aborted('timeout'));
  };
  const onOuter = () => own.abort(outer.reason);
  let timer = startTimer(timeoutMs, onTime);
  if (outer.aborted) onOuter();
  else outer.addEventListener('abort', onOuter, { once: true });
  const unlink = () => {
    clearTimeout(timer);
    outer.removeEventListener('abort', onOuter);
  };
  return {
    signal: own.signal,
    get isLate() {
      return isLate;
    },
    get isDetached() {
      return isDetached;
    },
    detach(ms: number) {
      unlink();
      isDetached = true;
      timer = startTimer(ms, onTime);
    },
    end: unlink,
  };
}
