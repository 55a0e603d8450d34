import type { HookOutcome } from '../hooks/fold.ts';
import { costOf, isKnownModel } from '../model/pricing.ts';
import type { JsonObject } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import type { SessionHooks } from './hooks.ts';
import type { Parts } from './parts.ts';

/** Who changes the model: a command, a control request, or the runtime by itself. */
export type SwitchSource = 'command' | 'sdk' | 'auto';

export interface ModelSwitch {
  from: string;
  to: string;
  /** As it was named; null: the one of the launch. */
  requested: string | null;
  source: SwitchSource;
}

/** Changes the model, unless a PreModelSwitch hook objects: then it stays, and a ControlError says why. */
export async function switchModel(
  parts: Parts,
  hooks: SessionHooks,
  change: ModelSwitch,
  adopt: () => void,
): Promise<void> {
  if (change.from === change.to) return adopt();
  const outcome = await hooks.fire('PreModelSwitch', fieldsOf(parts, hooks, change), new AbortController().signal);
  const reason = objectionIn(outcome);
  if (reason !== null) throw new ControlError(`The model was not changed: ${reason}`, 'permission_denied');
  adopt();
  await tellOfSwitch(parts, hooks, change);
}

/** Tells the PostModelSwitch hooks. What they add goes to the model with the next request. */
export async function tellOfSwitch(parts: Parts, hooks: SessionHooks, change: ModelSwitch): Promise<void> {
  await hooks.fire('PostModelSwitch', fieldsOf(parts, hooks, change), new AbortController().signal);
}

/** Nobody sits in front of a session who could be asked to confirm, so that `ask` is a no. */
function objectionIn({ block, stop, decision }: HookOutcome): string | null {
  if (block !== null) return block;
  if (stop) return stop.reason || 'A hook stopped it';
  if (!decision || decision.behavior === 'allow') return null;
  return decision.reason || 'A hook objects';
}

/** How long the API keeps a prompt, as it is asked to. */
const CACHE_MS = 5 * 60_000;

function fieldsOf({ context, runtime }: Parts, hooks: SessionHooks, change: ModelSwitch): JsonObject {
  const { from, to, requested, source } = change;
  const isWarm = hooks.answeredAt !== null && runtime.clock.now() - hooks.answeredAt < CACHE_MS;
  const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: context.tokens };
  return {
    from_model: from,
    to_model: to,
    requested_model: requested,
    source,
    context_tokens: context.tokens,
    prompt_cache_warm: isWarm,
    cache_ttl: '5m',
    estimated_cache_write_usd: costOf(to, written),
    pricing: isKnownModel(to) ? 'catalog' : 'default',
  };
}
