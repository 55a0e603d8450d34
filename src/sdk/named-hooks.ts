import type { JsonObject } from '../util/json.ts';
import type { HookCallback, HookCallbackMatcher, HooksOption } from './options/option-types.ts';

/** Hook callbacks by id: the functions stay in this program, the agent knows their ids. */
export interface NamedHooks {
  /** For `initialize`; undefined when there are none. */
  announced: Record<string, JsonObject[]> | undefined;
  callbacks: ReadonlyMap<string, NamedHook>;
}

export interface NamedHook {
  callback: HookCallback;
  event: string;
  readonly onFailure: HookCallbackMatcher['onFailure'];
}

/** Numbers the callbacks across all events, in the order of the options (`hook_0`, `hook_1`, …). */
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
