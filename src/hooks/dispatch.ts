import { type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { within } from '../util/timer.ts';
import type { HookEvent } from '../wire/hook-inputs.ts';
import type { Message } from '../wire/messages/index.ts';
import { type HookAnswer, NO_ANSWER } from './answer.ts';
import type { HookSeams } from './ask-hook.ts';
import { type CallHost, callBack } from './callback.ts';
import { type CommandPlace, type CommandReport, startCommand } from './command.ts';
import { factsOf, isCall, runName, subjectOf } from './events.ts';
import { countsAsObjection, foldAnswers, type HookOutcome, lateContexts, lateObjection, NOTHING } from './fold.ts';
import { type CommandHook, type Hook, hookLabel } from './hook.ts';
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
  /** Whether one is at work that may wake the model. */
  mayWake(): boolean;
}

export interface HooksOptions {
  /** Read at every event: callbacks come with `initialize`. With an agent's id those that are there for it, too. */
  hooks(agentId?: string): readonly Hook[];
  sessionId: string;
  /** What every hook is told. */
  base(): JsonObject;
  permissionMode(): string;
  place: CommandPlace;
  callHost: CallHost;
  /** For hooks that are neither commands nor functions of the host. */
  seams?: HookSeams;
  newId(): string;
  log: Logger;
  say(line: Message): Promise<void> | undefined;
  /** Whether the runs for all events are told, not only those at the start of a session (wire.md 10.4). */
  tellsAll: boolean;
  /** Whether a call fits the `if` of a hook. Absent: every call does. */
  fits?(condition: string, event: JsonObject): Promise<boolean>;
  /** A command that nobody waited for is over. */
  onLate?(contexts: readonly string[], event: string): Promise<void> | void;
  /** One that may wake the model is over; null: it has no objection. */
  onWake?(objection: string | null): void;
  /** A command is started. */
  onCommand?(run: { event: string; name: string; command: string; toolUseId: string }): Promise<void>;
}

/** Milliseconds between two lines about the output of a hook that takes long. */
const PROGRESS_MS = 1000;

export function createHooks(options: HooksOptions): Dispatcher {
  const { sessionId, newId, log } = options;
  const background = new Set<Promise<unknown>>();
  /** Those of them that may wake the model. */
  const waking = new Set<Promise<unknown>>();
  /** Those that are asked once, and were. */
  const spent = new WeakSet<Hook>();
  const matching = (event: string, subject?: string, agentId?: string) =>
    options.hooks(agentId).filter((hook) => hook.event === event && hook.matches(subject) && !spent.has(hook));

  /** Those of them that an event concerns, by their conditions. */
  async function fitting(candidates: readonly Hook[], payload: JsonObject): Promise<readonly Hook[]> {
    const fit = await Promise.all(candidates.map((hook) => fitsCall(hook, payload)));
    return candidates.filter((hook, at) => fit[at] && !spent.has(hook));
  }

  /** What is asked once counts as asked from here on. */
  function take(hooks: readonly Hook[]): readonly Hook[] {
    for (const hook of hooks) if (hook.isOnce) spent.add(hook);
    return distinct(hooks);
  }

  async function fitsCall({ condition, event }: Hook, payload: JsonObject): Promise<boolean> {
    if (condition === null) return true;
    if (!isCall(event)) return false;
    return (await options.fits?.(condition, payload).catch(() => true)) ?? true;
  }
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
    if (report.answer.isAsync) letGo(hook, call, running.ended);
    if (isTold) await say(responseLine(run, report, newId()), event);
    return report.answer;
  }

  /** Nobody waits for it any more; what it says in the end is told. */
  function letGo(hook: CommandHook, call: HookCall, ended: Promise<CommandReport>): void {
    const rest = ended.then(({ answer }) => tellLate(hook, answer, call)).catch(() => null);
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
    if (options.tellsAll) await say(startedLine(run, newId()), event);
    const answer =
      hook.kind === 'callback'
        ? await callBack(hook, call, options.callHost, signal)
        : await (await import('./ask-hook.ts')).askHook(hook, input, options.seams ?? { env: {} }, signal);
    const outcome = answer.failure === null ? 'success' : 'error';
    if (options.tellsAll) await say(responseLine(run, { answer, stdout: '', stderr: '', outcome }, newId()), event);
    return answer;
  }

  async function tell(hook: Hook, answer: HookAnswer, { event, name, toolUseId }: HookCall): Promise<void> {
    const ids = () => ({ uuid: newId(), sessionId });
    if (answer.systemMessage !== null) {
      await say(informationalLine({ content: `${name} says: ${answer.systemMessage}`, level: 'notice' }, ids()), event);
    }
    const who = `The ${name} hook [${hookLabel(hook)}] of ${hook.source.where}`;
    if (answer.block !== null && !factsOf(event).canBlock) {
      log('warn', printable(`${who} objects, but ${event} cannot be held up: ${answer.block}`));
    }
    if (answer.failure === null) return;
    const effect = countsAsObjection(hook, event) ? 'It counts as an objection.' : 'It was passed over.';
    const text = `${who} failed: ${answer.failure}. ${effect}`;
    log(answer.isToldToHost ? 'debug' : 'warn', printable(text));
    if (event !== 'PreToolUse' && event !== 'PermissionRequest') return;
    const facts = { tag: 'hook_no_verdict', hook_no_verdict: { hook_event: event, tool_use_id: toolUseId } };
    await say(informationalLine({ content: text, level: 'warning', ...facts }, ids()), event);
  }

  /** Resolves with its objection, as the model is told of it; null when it has none. */
  async function tellLate(hook: CommandHook, answer: HookAnswer, call: HookCall): Promise<string | null> {
    const { event, name } = call;
    const { failure, systemMessage } = answer;
    if (failure !== null)
      log('warn', printable(`The ${name} hook [${hookLabel(hook)}], in the background, failed: ${failure}`));
    await tell(hook, { ...NO_ANSWER, systemMessage }, call);
    await options.onLate?.(lateContexts(name, answer), event);
    return answer.block === null ? null : lateObjection(name, hook, answer.block);
  }

  return {
    asked: (event, subject) => distinct(matching(event, subject)),
    mayWake: () => waking.size > 0,
    async fire(event, payload, signal, toolUseId) {
      const subject = subjectOf(event, payload);
      const candidates = matching(event, subject, stringField(payload, 'agent_id'));
      // Without conditions nothing is waited for: a notice goes out before the question that it tells of.
      const isPlain = candidates.every(({ condition }) => condition === null);
      const hooks = take(isPlain ? candidates : await fitting(candidates, payload));
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
          const run = hook.kind === 'command' ? runCommand(hook, call, signal) : runOther(hook, call, signal);
          const answer = await run;
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

/**
 * The same command in two files is one hook, and so is the same question. One that nobody waits for, or whose failure does
 * not count, does not stand in for one that can object.
 */
function distinct(hooks: readonly Hook[]): readonly Hook[] {
  const seen = new Set<string>();
  return hooks.filter((hook) => {
    if (hook.kind === 'callback') return true;
    const key = JSON.stringify([contentOf(hook), hook.onFailure, hook.source.env ?? null]);
    return !seen.has(key) && seen.add(key);
  });
}

function contentOf(hook: Exclude<Hook, { kind: 'callback' }>): unknown[] {
  switch (hook.kind) {
    case 'command':
      return [hook.kind, hook.command, hook.isAsync, hook.rewakes];
    case 'http':
      return [hook.kind, hook.url, hook.headers];
    case 'mcp_tool':
      return [hook.kind, hook.server, hook.tool, hook.input];
    case 'prompt':
    case 'agent':
      return [hook.kind, hook.prompt, hook.model];
    default:
      return hook satisfies never;
  }
}
