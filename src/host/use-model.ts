import { type ModelSwitch, type SwitchSource, switchModel } from './model-switch.ts';
import type { Parts } from './parts.ts';

/** Changes the model because somebody asked for it. Undefined or `default`: back to the one of the launch. */
export function changeModel(parts: Parts, name: string | undefined, source: SwitchSource): Promise<string> {
  const requested = name === undefined || name === 'default' ? null : name;
  return useModel(parts, requested ?? parts.launchModel, { requested, source });
}

/**
 * Makes the session's next turn use this model; resolves with its id. Rejects as `chooseModel` does, and when a hook
 * objects; then the old one stays. `asked`: who wants it, and by which name; absent where that is no change of a session.
 */
export async function useModel(
  parts: Parts,
  name: string | undefined,
  asked?: Pick<ModelSwitch, 'requested' | 'source'>,
): Promise<string> {
  const chosen = await parts.chooseModel(name);
  const adopt = () => {
    parts.chosen = chosen;
    parts.context.fruitless = 0; // another model, another window
  };
  if (parts.hooks && asked) {
    await switchModel(parts, parts.hooks, { ...asked, from: parts.chosen.id, to: chosen.id }, adopt);
  } else adopt();
  return chosen.id;
}
