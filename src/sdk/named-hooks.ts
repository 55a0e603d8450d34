import type { JsonObject } from '../util/json.ts';
import type { HookCallback, HookCallbackMatcher, HooksOption } from './option-types.ts';

/** Hook callbacks behind ids: functions stay here, the agent knows them by name. */
export interface NamedHooks {
  /** For `initialize`; undefined when there are none. */
  announced: Record<string, JsonObject[]> | undefined;
  callbacks: ReadonlyMap<string, NamedHook>;
}

export interface NamedHook {
  callback: HookCallback;
  event: string;
  onFailure: HookCallbackMatcher['onFailure'];
}

/** Numbers the callbacks across all events, in the order in which they are given (`hook_0`, `hook_1`, …). */
export function nameHooks(hooks: HooksOption = {}): NamedHooks {
  const callbacks = new Map<string, NamedHook>();
  const nameOf = (hook: NamedHook) => {
    const id = `hook_${callbacks.size}`;
    callbacks.set(id, hook);
    return id;
  };
  const announced: Record<string, JsonObject[]> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (!matchers) continue;
    announced[event] = matchers.map(({ hooks: given, ...rest }) => ({
      ...rest,
      hookCallbackIds: given.map((callback) => nameOf({ callback, event, onFailure: rest.onFailure })),
    }));
  }
  return { announced: Object.keys(announced).length > 0 ? announced : undefined, callbacks };
}
