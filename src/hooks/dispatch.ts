import { type JsonObject, stringField } from '../util/json.ts';
import type { HookEvent } from '../wire/hooks/hook-inputs.ts';
import { eventInfo, isCall, runName, subjectOf } from './events.ts';
import type { Hook } from './hook.ts';
import { createHookRunner, type HookCall, type HookRunner, type RunnerOptions } from './hook-runner.ts';
import { type HookOutcome, joinAnswers, NOTHING } from './join-answers.ts';

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

export interface Dispatcher extends Hooks, Pick<HookRunner, 'settle' | 'mayWake'> {}

export interface HooksOptions extends RunnerOptions {
  /**
   * Read at every event, because callbacks come with `initialize`. With an agent's id, also the hooks of that agent.
   */
  hooks(agentId?: string): readonly Hook[];
  /** The common fields of every hook input. */
  base(): JsonObject;
  permissionMode(): string;
  /** Whether a call matches the `if` of a hook. Absent: every call does. */
  fits?(condition: string, event: JsonObject): Promise<boolean>;
}

export function createHooks(options: HooksOptions): Dispatcher {
  const runner = createHookRunner(options);
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

  return {
    asked: (event, subject) => distinct(matching(event, subject)),
    mayWake: runner.mayWake,
    settle: runner.settle,
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
        toolUseId: toolUseId ?? stringField(payload, 'tool_use_id') ?? options.newId(),
      };
      const runs = await Promise.all(hooks.map((hook) => runner.run(hook, call, signal)));
      for (const run of runs) await runner.announce(run, call);
      return joinAnswers(event, call.name, runs);
    },
  };
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
