import { type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { within } from '../util/timer.ts';
import type { HookEvent } from '../wire/hook-inputs.ts';
import type { Message } from '../wire/messages/index.ts';
import { type HookAnswer, NO_ANSWER } from './answer.ts';
import { type CallHost, callBack } from './callback.ts';
import { type CommandPlace, startCommand } from './command.ts';
import { factsOf, runName, subjectOf } from './events.ts';
import { foldAnswers, type HookOutcome, NOTHING } from './fold.ts';
import { type CommandHook, failsClosed, type Hook, hookLabel } from './hook.ts';
import { informationalLine, progressLine, type RunIdentity, responseLine, startedLine } from './hook-lines.ts';

/** What the loop and the host know of hooks: something happens, and whoever wants to know is asked. */
export interface Hooks {
  /**
   * Asks all hooks that fit, at the same time, and resolves with what they said together. Never rejects: a hook that fails
   * is said aloud and passed over, or counts as an objection where its failure closes. `toolUseId` where the payload has
   * none.
   */
  fire(event: HookEvent, payload: JsonObject, signal: AbortSignal, toolUseId?: string): Promise<HookOutcome>;
  /** The hooks that would be asked. */
  asked(event: HookEvent, subject?: string): readonly Hook[];
}

export interface Dispatcher extends Hooks {
  /** Waits for those that nobody waited for, at most this long. How many are still at work. */
  settle(ms: number): Promise<number>;
}

export interface HooksOptions {
  /** Read at every event: callbacks come with `initialize`. */
  hooks(): readonly Hook[];
  sessionId: string;
  /** What every hook is told. */
  base(): JsonObject;
  permissionMode(): string;
  place: CommandPlace;
  callHost: CallHost;
  newId(): string;
  log: Logger;
  say(line: Message): Promise<void> | undefined;
  /** Whether the runs for all events are told, not only those at the start of a session (wire.md 10.4). */
  tellsAll: boolean;
  /** A command is started. */
  onCommand?(run: { event: string; name: string; command: string; toolUseId: string }): Promise<void>;
}

/** Milliseconds between two lines about the output of a hook that takes long. */
const PROGRESS_MS = 1000;

export function createHooks(options: HooksOptions): Dispatcher {
  const { sessionId, newId, log } = options;
  const background = new Set<Promise<unknown>>();
  const asked = (event: string, subject?: string) =>
    once(options.hooks().filter((hook) => hook.event === event && hook.matches(subject)));
  /** Whoever reads the lines may be gone. After the last result nothing follows. */
  const say = async (line: Message, event: string) => {
    if (event !== 'SessionEnd') await options.say(line)?.catch(() => {});
  };

  async function runCommand(hook: CommandHook, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { event, name, input, toolUseId } = call;
    await options.onCommand?.({ event, name, command: hook.command, toolUseId });
    const isTold = options.tellsAll || event === 'SessionStart' || event === 'Setup';
    const run: RunIdentity = { hookId: newId(), name, event, sessionId };
    if (isTold) await say(startedLine(run, newId()), event);
    let told = '';
    const running = startCommand(hook, input, options.place, { signal });
    const timer = setInterval(() => {
      const output = running.output();
      if (!isTold || output.stdout + output.stderr === told) return;
      told = output.stdout + output.stderr;
      void say(progressLine(run, output, newId()), event);
    }, PROGRESS_MS);
    const report = await running.answered;
    clearInterval(timer);
    if (report.answer.isAsync) {
      background.add(running.ended);
      running.ended.finally(() => background.delete(running.ended)).catch(() => {});
    }
    if (isTold) await say(responseLine(run, report, newId()), event);
    return report.answer;
  }

  async function runCallback(hook: Extract<Hook, { kind: 'callback' }>, call: HookCall, signal: AbortSignal) {
    const { event, name } = call;
    const run: RunIdentity = { hookId: newId(), name, event, sessionId };
    if (options.tellsAll) await say(startedLine(run, newId()), event);
    const answer = await callBack(hook, call, options.callHost, signal);
    const outcome = answer.failure === null ? 'success' : 'error';
    if (options.tellsAll) await say(responseLine(run, { answer, stdout: '', stderr: '', outcome }, newId()), event);
    return answer;
  }

  async function tell(hook: Hook, answer: HookAnswer, { event, name, toolUseId }: HookCall): Promise<void> {
    const ids = () => ({ uuid: newId(), sessionId });
    if (answer.systemMessage !== null) {
      await say(informationalLine({ content: `${name} says: ${answer.systemMessage}`, level: 'notice' }, ids()), event);
    }
    if (answer.failure === null) return;
    const effect = failsClosed(hook) ? 'It counts as an objection.' : 'It was passed over.';
    const text = `The ${name} hook [${hookLabel(hook)}] of ${hook.source.where} failed: ${answer.failure}. ${effect}`;
    log('warn', printable(text));
    if (event !== 'PreToolUse' && event !== 'PermissionRequest') return;
    const facts = { tag: 'hook_no_verdict', hook_no_verdict: { hook_event: event, tool_use_id: toolUseId } };
    await say(informationalLine({ content: text, level: 'warning', ...facts }, ids()), event);
  }

  return {
    asked,
    async fire(event, payload, signal, toolUseId) {
      const subject = subjectOf(event, payload);
      const hooks = asked(event, subject);
      if (hooks.length === 0) return NOTHING;
      const mode = factsOf(event).hasMode ? { permission_mode: options.permissionMode() } : {};
      const call: HookCall = {
        event,
        name: runName(event, subject),
        input: { ...options.base(), ...mode, hook_event_name: event, ...payload },
        toolUseId: toolUseId ?? stringField(payload, 'tool_use_id') ?? newId(),
      };
      const runs = await Promise.all(
        hooks.map(async (hook) => {
          const answer = await (hook.kind === 'command'
            ? runCommand(hook, call, signal)
            : runCallback(hook, call, signal));
          return { hook, answer: signal.aborted ? NO_ANSWER : answer };
        }),
      );
      for (const { hook, answer } of runs) await tell(hook, answer, call);
      return foldAnswers(event, call.name, runs);
    },
    async settle(ms) {
      await within(ms, Promise.all(background));
      return background.size;
    },
  };
}

interface HookCall {
  event: string;
  name: string;
  input: JsonObject;
  toolUseId: string;
}

/** The same command in two files is one hook. */
function once(hooks: readonly Hook[]): readonly Hook[] {
  const seen = new Set<string>();
  return hooks.filter((hook) => {
    if (hook.kind !== 'command') return true;
    const key = JSON.stringify([hook.command, hook.source.env ?? null]);
    return !seen.has(key) && seen.add(key);
  });
}
