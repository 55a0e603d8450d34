import { type JsonObject, stringField } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import { printable } from '../util/text/printable.ts';
import { within } from '../util/timer.ts';
import type { HookEvent } from '../wire/hooks/hook-inputs.ts';
import type { Message } from '../wire/messages/index.ts';
import { type HookAnswer, NO_ANSWER } from './answer.ts';
import type { HookPort } from './ask-hook.ts';
import { askHook } from './ask-hook.ts';
import { type CallHost, callBack } from './callback.ts';
import { type CommandEnvironment, type CommandReport, startCommand } from './command.ts';
import { eventInfo, isCall, runName, subjectOf } from './events.ts';
import { type CommandHook, type Hook, hookLabel } from './hook.ts';
import { informationalLine, progressLine, type RunIdentity, responseLine, startedLine } from './hook-lines.ts';
import {
  countsAsObjection,
  type HookOutcome,
  joinAnswers,
  lateContexts,
  lateObjection,
  NOTHING,
} from './join-answers.ts';

/** Runs the hooks of an event, for the loop and the host. */
export interface Hooks {
  /**
   * Runs all matching hooks at the same time, and resolves with their joined answers. Never rejects: a failing hook is
   * reported and skipped, or counts as an objection where it fails closed. `toolUseId` where the payload has none.
   */
  fire(event: HookEvent, payload: JsonObject, signal: AbortSignal, toolUseId?: string): Promise<HookOutcome>;
  /** The hooks that would run. */
  asked(event: HookEvent, subject?: string): readonly Hook[];
}

export interface Dispatcher extends Hooks {
  /** Waits at most `ms` for asynchronous hooks. Resolves with the number of those that still run. */
  settle(ms: number): Promise<number>;
  /** Whether a hook is running that may wake the model. */
  mayWake(): boolean;
}

export interface HooksOptions {
  /**
   * Read at every event, because callbacks come with `initialize`. With an agent's id, also the hooks of that agent.
   */
  hooks(agentId?: string): readonly Hook[];
  sessionId: string;
  /** The common fields of every hook input. */
  base(): JsonObject;
  permissionMode(): string;
  environment: CommandEnvironment;
  callHost: CallHost;
  /** For hooks that are neither commands nor functions of the host. */
  port?: HookPort;
  newId(): string;
  log: Logger;
  send(line: Message): Promise<void> | undefined;
  /** Prints lines about the runs for all events, not only those at the start of a session. */
  announcesAll: boolean;
  /** Whether a call matches the `if` of a hook. Absent: every call does. */
  fits?(condition: string, event: JsonObject): Promise<boolean>;
  /** Called when an asynchronous command has ended. */
  onLate?(contexts: readonly string[], event: string): Promise<void> | void;
  /** Called when a hook that may wake the model has ended; null: it has no objection. */
  onWake?(objection: string | null): void;
  /** Called when a command starts. */
  onCommand?(run: { event: string; name: string; command: string; toolUseId: string }): Promise<void>;
}

/** Milliseconds between two lines about the output of a hook that takes long. */
const PROGRESS_MS = 1000;

export function createHooks(options: HooksOptions): Dispatcher {
  const { sessionId, newId, log } = options;
  const background = new Set<Promise<unknown>>();
  /** The asynchronous hooks that may wake the model. */
  const waking = new Set<Promise<unknown>>();
  /** The hooks that run once, and have run. */
  const spent = new WeakSet<Hook>();
  const matching = (event: string, subject?: string, agentId?: string) =>
    options.hooks(agentId).filter((hook) => hook.event === event && hook.matches(subject) && !spent.has(hook));

  /** The hooks whose conditions match an event. */
  async function fitting(candidates: readonly Hook[], payload: JsonObject): Promise<readonly Hook[]> {
    const fit = await Promise.all(candidates.map((hook) => fitsCall(hook, payload)));
    return candidates.filter((hook, at) => fit[at] && !spent.has(hook));
  }

  /** A hook that runs once counts as run from here on. */
  function take(hooks: readonly Hook[]): readonly Hook[] {
    for (const hook of hooks) if (hook.isOnce) spent.add(hook);
    return distinct(hooks);
  }

  async function fitsCall({ condition, event }: Hook, payload: JsonObject): Promise<boolean> {
    if (condition === null) return true;
    if (!isCall(event)) return false;
    return (await options.fits?.(condition, payload).catch(() => true)) ?? true;
  }
  /** The reader of the lines may be gone. After the last result no line follows, so SessionEnd prints none. */
  const say = async (line: Message, event: string) => {
    if (event !== 'SessionEnd') await options.send(line)?.catch(() => {});
  };

  async function runCommand(hook: CommandHook, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { event, name, input, toolUseId } = call;
    await options.onCommand?.({ event, name, command: hook.command, toolUseId });
    const isTold = options.announcesAll || event === 'SessionStart' || event === 'Setup';
    const run: RunIdentity = { hookId: newId(), name, event, sessionId };
    if (isTold) await say(startedLine(run, newId()), event);
    let told = '';
    const running = startCommand(hook, input, options.environment, { signal });
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

  async function announce(hook: Hook, answer: HookAnswer, { event, name, toolUseId }: HookCall): Promise<void> {
    const ids = () => ({ uuid: newId(), sessionId });
    if (answer.systemMessage !== null) {
      await say(informationalLine({ content: `${name} says: ${answer.systemMessage}`, level: 'notice' }, ids()), event);
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
    await say(informationalLine({ content: text, level: 'warning', ...details }, ids()), event);
  }

  /** Resolves with the hook's objection, as the model gets it; null when it has none. */
  async function announceLate(hook: CommandHook, answer: HookAnswer, call: HookCall): Promise<string | null> {
    const { event, name } = call;
    const { failure, systemMessage } = answer;
    if (failure !== null)
      log('warn', printable(`The ${name} hook [${hookLabel(hook)}], in the background, failed: ${failure}`));
    await announce(hook, { ...NO_ANSWER, systemMessage }, call);
    await options.onLate?.(lateContexts(name, answer), event);
    return answer.block === null ? null : lateObjection(name, hook, answer.block);
  }

  return {
    asked: (event, subject) => distinct(matching(event, subject)),
    mayWake: () => waking.size > 0,
    async fire(event, payload, signal, toolUseId) {
      const subject = subjectOf(event, payload);
      const candidates = matching(event, subject, stringField(payload, 'agent_id'));
      // Without conditions nothing is awaited, so that a notice is printed before the question that it is about.
      const isPlain = candidates.every(({ condition }) => condition === null);
      const hooks = take(isPlain ? candidates : await fitting(candidates, payload));
      if (hooks.length === 0) return NOTHING;
      const mode = eventInfo(event).hasMode ? { permission_mode: options.permissionMode() } : {};
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
      for (const { hook, answer } of runs) await announce(hook, answer, call);
      return joinAnswers(event, call.name, runs);
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
 * A command in two files is one hook, and so is a question. A hook that runs asynchronously, or whose failure does not
 * count, does not replace one that can object.
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
