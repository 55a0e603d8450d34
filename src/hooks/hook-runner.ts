import type { JsonObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import { printable } from '../util/text/printable.ts';
import { within } from '../util/timer.ts';
import type { Message } from '../wire/messages/index.ts';
import { type HookAnswer, NO_ANSWER } from './answer.ts';
import type { HookPort } from './ask-hook.ts';
import { askHook } from './ask-hook.ts';
import { type CallHost, callBack } from './callback.ts';
import { type CommandEnvironment, type CommandReport, startCommand } from './command.ts';
import { eventInfo } from './events.ts';
import { type CommandHook, type Hook, hookLabel } from './hook.ts';
import { informationalLine, progressLine, type RunIdentity, responseLine, startedLine } from './hook-lines.ts';
import { countsAsObjection, lateContexts, lateObjection } from './join-answers.ts';

export interface RunnerOptions {
  sessionId: string;
  environment: CommandEnvironment;
  callHost: CallHost;
  /** For hooks that are neither commands nor functions of the host. */
  port?: HookPort;
  newId(): string;
  log: Logger;
  send(line: Message): Promise<void> | undefined;
  /** Prints lines about the runs for all events, not only those at the start of a session. */
  announcesAll: boolean;
  /** Called when an asynchronous command has ended. */
  onLate?(contexts: readonly string[], event: string): Promise<void> | void;
  /** Called when a hook that may wake the model has ended; null: it has no objection. */
  onWake?(objection: string | null): void;
  /** Called when a command starts. */
  onCommand?(run: { event: string; name: string; command: string; toolUseId: string }): Promise<void>;
}

/** One event, as its hooks get it. */
export interface HookCall {
  event: string;
  name: string;
  input: JsonObject;
  toolUseId: string;
}

export interface AnsweredHook {
  hook: Hook;
  answer: HookAnswer;
}

/** Runs single hooks, and remembers those that it no longer waits for. */
export interface HookRunner {
  /** Resolves with the answer of the hook, or with none when the signal aborts. Never rejects. */
  run(hook: Hook, call: HookCall, signal: AbortSignal): Promise<AnsweredHook>;
  /** Sends the message of a hook to the host, and reports a failure. */
  announce(answered: AnsweredHook, call: HookCall): Promise<void>;
  /** Waits at most `ms` for asynchronous hooks. Resolves with the number of those that still run. */
  settle(ms: number): Promise<number>;
  /** Whether a hook is running that may wake the model. */
  mayWake(): boolean;
}

/** Milliseconds between two lines about the output of a hook that takes long. */
const PROGRESS_MS = 1000;

export function createHookRunner(options: RunnerOptions): HookRunner {
  const { sessionId, newId, log } = options;
  const background = new Set<Promise<unknown>>();
  /** The asynchronous hooks that may wake the model. */
  const waking = new Set<Promise<unknown>>();
  const say = (line: Message, event: string) => sendLine(options.send, line, event);
  const announce = (answered: AnsweredHook, call: HookCall) => announceAnswer(options, answered, call);

  async function runCommand(hook: CommandHook, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { event, name, input, toolUseId } = call;
    await options.onCommand?.({ event, name, command: hook.command, toolUseId });
    const isAnnounced = options.announcesAll || event === 'SessionStart' || event === 'Setup';
    const run: RunIdentity = { hookId: newId(), name, event, sessionId };
    if (isAnnounced) await say(startedLine(run, newId()), event);
    let reported = '';
    const running = startCommand(hook, input, options.environment, { signal });
    const timer = setInterval(() => {
      const output = running.output();
      if (!isAnnounced || output.stdout + output.stderr === reported) return;
      reported = output.stdout + output.stderr;
      void say(progressLine(run, output, newId()), event);
    }, PROGRESS_MS);
    const report = await running.answered;
    clearInterval(timer);
    if (report.answer.isAsync) letGo(hook, call, running.ended);
    if (isAnnounced) await say(responseLine(run, report, newId()), event);
    return report.answer;
  }

  /** Stops waiting for the hook. Its final answer is reported when it ends. */
  function letGo(hook: CommandHook, call: HookCall, ended: Promise<CommandReport>): void {
    const rest = ended.then(({ answer }) => announceLate(hook, answer, call)).catch(() => null);
    background.add(rest);
    if (hook.rewakes) waking.add(rest);
    void rest.then((objection) => {
      background.delete(rest);
      if (waking.delete(rest)) options.onWake?.(objection);
    });
  }

  async function runOther(hook: Exclude<Hook, CommandHook>, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { event, name, input } = call;
    const run: RunIdentity = { hookId: newId(), name, event, sessionId };
    if (options.announcesAll) await say(startedLine(run, newId()), event);
    const answer =
      hook.kind === 'callback'
        ? await callBack(hook, call, options.callHost, signal)
        : await askHook(hook, input, options.port ?? { env: {} }, signal);
    const outcome = answer.failure === null ? 'success' : 'error';
    if (options.announcesAll) await say(responseLine(run, { answer, stdout: '', stderr: '', outcome }, newId()), event);
    return answer;
  }

  /** Resolves with the hook's objection, as the model gets it; null when it has none. */
  async function announceLate(hook: CommandHook, answer: HookAnswer, call: HookCall): Promise<string | null> {
    const { event, name } = call;
    const { failure, systemMessage } = answer;
    if (failure !== null)
      log('warn', printable(`The ${name} hook [${hookLabel(hook)}], in the background, failed: ${failure}`));
    await announce({ hook, answer: { ...NO_ANSWER, systemMessage } }, call);
    await options.onLate?.(lateContexts(name, answer), event);
    return answer.block === null ? null : lateObjection(name, hook, answer.block);
  }

  return {
    async run(hook, call, signal) {
      const answer = await (hook.kind === 'command' ? runCommand(hook, call, signal) : runOther(hook, call, signal));
      return { hook, answer: signal.aborted ? NO_ANSWER : answer };
    },
    announce,
    async settle(ms) {
      await within(ms, Promise.all(background));
      return background.size;
    },
    mayWake: () => waking.size > 0,
  };
}

async function announceAnswer(
  { newId, sessionId, log, send }: RunnerOptions,
  { hook, answer }: AnsweredHook,
  { event, name, toolUseId }: HookCall,
): Promise<void> {
  const ids = () => ({ uuid: newId(), sessionId });
  if (answer.systemMessage !== null) {
    await sendLine(
      send,
      informationalLine({ content: `${name} says: ${answer.systemMessage}`, level: 'notice' }, ids()),
      event,
    );
  }
  const who = `The ${name} hook [${hookLabel(hook)}] of ${hook.source.where}`;
  if (answer.block !== null && !eventInfo(event).canBlock) {
    log('warn', printable(`${who} objects, but ${event} cannot be held up: ${answer.block}`));
  }
  if (answer.failure === null) return;
  const effect = countsAsObjection(hook, event) ? 'It counts as an objection.' : 'It was passed over.';
  const text = `${who} failed: ${answer.failure}. ${effect}`;
  log(answer.isReportedToHost ? 'debug' : 'warn', printable(text));
  if (event !== 'PreToolUse' && event !== 'PermissionRequest') return;
  const details = { tag: 'hook_no_verdict', hook_no_verdict: { hook_event: event, tool_use_id: toolUseId } };
  await sendLine(send, informationalLine({ content: text, level: 'warning', ...details }, ids()), event);
}

/** The reader of the lines may be gone. After the last result no line follows, so SessionEnd prints none. */
async function sendLine(send: RunnerOptions['send'], line: Message, event: string): Promise<void> {
  if (event !== 'SessionEnd') await send(line)?.catch(() => {});
}
