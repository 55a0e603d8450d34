import type { ModelLimits } from '../model/pricing.ts';
import { LONG_CONTEXT, LONG_CONTEXT_BETA } from '../model/resolve.ts';
import type { Logger } from '../util/runtime.ts';
import type { Chosen } from './models.ts';

/** The models that one session has used so far, and what fits into them there. */
export interface KnownModels {
  choose(name: string | undefined): Promise<Chosen>;
  limitsOf(model: string): ModelLimits | undefined;
}

/**
 * Chooses models for a session whose requests carry these betas: one of them lengthens the window. That the window of a
 * model is a guess is said once, whichever way the model came in: at the launch, by `set_model`, as a fallback.
 */
export function createKnownModels(
  choose: (name: string | undefined) => Promise<Chosen>,
  { betas, log }: { betas: readonly string[]; log: Logger },
): KnownModels {
  const known = new Map<string, Chosen>();
  const isLong = betas.includes(LONG_CONTEXT_BETA);
  return {
    async choose(name) {
      const found = await choose(name);
      const chosen = isLong ? { ...found, contextWindow: Math.max(LONG_CONTEXT, found.contextWindow) } : found;
      const isNew = !known.has(chosen.id);
      known.set(chosen.id, chosen);
      if (chosen.isWindowGuessed && isNew) log('warn', (await import('./guessed-window.ts')).guessedWindow(chosen));
      return chosen;
    },
    limitsOf: (model) => known.get(model),
  };
}
