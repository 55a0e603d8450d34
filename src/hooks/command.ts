import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Processes, ProcessOutcome } from '../util/process.ts';
import { startTimer } from '../util/timer.ts';
import { answerOfCommand, failed, type HookAnswer, NO_ANSWER } from './answer.ts';
import { firstAnswer, lastAnswer, OutputHead } from './command-output.ts';
import type { CommandHook } from './hook.ts';

/** Where the commands of hooks run. */
export interface CommandPlace {
  processes: Processes;
  cwd: string;
  /** Without what tools may not know either (ruling G4). */
  env: Readonly<Record<string, string | undefined>>;
  /** More variables, for this hook only. */
  variablesFor?(hook: CommandHook): Readonly<Record<string, string>>;
  /** Takes credentials out of what came. */
  hide(text: string): string;
}

/** What is known of a command that has answered. */
export interface CommandReport {
  answer: HookAnswer;
  stdout: string;
  stderr: string;
  /** Absent when it did not end by itself. */
  exitCode?: number;
  outcome: 'success' | 'error' | 'cancelled';
}

export interface RunningCommand {
  /** Settles when it has ended, or has said that nobody shall wait for it. Never rejects. */
  answered: Promise<CommandReport>;
  /** Settles when it is over, with all that it said; of one that nobody waited for, what it said in the end. Never rejects. */
  ended: Promise<CommandReport>;
  output(): { stdout: string; stderr: string };
}

/**
 * Starts the command of a hook: the input comes on stdin, the answer by exit code and stdout. When its time is up, or the
 * signal fires, its whole tree is ended (trust K-3). One that answers `{"async":true}` goes on by itself, within its own
 * time, whatever becomes of the turn.
 */
export function startCommand(
  hook: CommandHook,
  input: JsonObject,
  place: CommandPlace,
  { signal, onOutput }: { signal: AbortSignal; onOutput?: () => void },
): RunningCommand {
  const { event, timeoutMs } = hook;
  const head = new OutputHead();
  const life = limitedLife(signal, timeoutMs);
  const seen = () => ({ stdout: place.hide(head.stdout), stderr: place.hide(head.stderr) });
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
    cwd: place.cwd,
    env: { ...place.env, ...hook.source.env, ...place.variablesFor?.(hook) },
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
  const ended = runShell(place.processes, spec, life.signal)
    .then(
      (end) => report(event, end, { ...seen(), isCut: head.isCut }),
      (error) => stopped(life.isLate ? `It took longer than ${timeoutMs / 1000} s` : messageOf(error), seen(), signal),
    )
    .finally(() => life.end());
  return { answered: Promise.race([early, ended]), ended, output: seen };
}

type Spec = Omit<Parameters<Processes['run']>[0], 'command'>;

/** Bash, as for the commands of tools; the plain shell where there is none. */
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
  // Whoever interrupted the turn does not have to be told that its hooks did not finish.
  return { answer: signal.aborted ? NO_ANSWER : failed(why), ...output, outcome: 'cancelled' };
}

/** A signal that fires with another one, or when the time is up; detached, only when the new time is up. */
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
