import type { HookOutcome } from '../../hooks/join-answers.ts';
import { costOf, isKnownModel } from '../../model/pricing.ts';
import type { JsonObject } from '../../util/json.ts';
import { ControlError } from '../../wire/errors.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { Thread } from './thread.ts';

/** The origin of a change: a command, a control request, or the runtime itself. */
export type SwitchSource = 'command' | 'sdk' | 'auto';

export interface ModelSwitch {
  from: string;
  to: string;
  /** The requested name; null: the model of the launch. */
  requested: string | null;
  source: SwitchSource;
}

/** Changes the model for a user or host. Undefined or `default`: returns to the model of the launch. */
export function changeModel(thread: Thread, name: string | undefined, source: SwitchSource): Promise<string> {
  const requested = name === undefined || name === 'default' ? null : name;
  return useModel(thread, requested ?? thread.model.launchModel, { requested, source });
}

/**
 * Sets the model for the next turn; resolves with its id. Rejects as `selectModel` does, and when a hook objects; then
 * the old model stays. `asked`: the source of the change and the requested name; absent: hooks do not run.
 */
export async function useModel(
  thread: Thread,
  name: string | undefined,
  asked?: Pick<ModelSwitch, 'requested' | 'source'>,
): Promise<string> {
  const { model, conversation, services, hooks } = thread;
  const selected = await services.models.select(name);
  const adopt = () => {
    model.adopt(selected);
    conversation.window.failedInARow = 0; // another model, another window
  };
  if (hooks.current && asked) {
    await switchModel(thread, hooks.current, { ...asked, from: model.selected.id, to: selected.id }, adopt);
  } else adopt();
  return selected.id;
}

type SwitchingThread = Pick<Thread, 'conversation' | 'services'>;

/** Changes the model, unless a PreModelSwitch hook objects: then it throws a ControlError with the reason. */
async function switchModel(
  thread: SwitchingThread,
  hooks: SessionHooks,
  change: ModelSwitch,
  adopt: () => void,
): Promise<void> {
  if (change.from === change.to) return adopt();
  const outcome = await hooks.fire('PreModelSwitch', fieldsOf(thread, hooks, change), new AbortController().signal);
  const reason = objectionIn(outcome);
  if (reason !== null) throw new ControlError(`The model was not changed: ${reason}`, 'permission_denied');
  adopt();
  await announceSwitch(thread, hooks, change);
}

/** Reports a change to PostModelSwitch hooks. The model gets the texts that they add with the next request. */
export async function announceSwitch(thread: SwitchingThread, hooks: SessionHooks, change: ModelSwitch): Promise<void> {
  await hooks.fire('PostModelSwitch', fieldsOf(thread, hooks, change), new AbortController().signal);
}

/** `ask` counts as an objection, because no user can confirm here. */
function objectionIn({ block, stop, decision }: HookOutcome): string | null {
  if (block !== null) return block;
  if (stop) return stop.reason || 'A hook stopped it';
  if (!decision || decision.behavior === 'allow') return null;
  return decision.reason || 'A hook objects';
}

/** How long the API caches a prompt, as requests ask for it. */
const CACHE_MS = 5 * 60_000;

function fieldsOf(
  { conversation: { window: context }, services: { runtime } }: SwitchingThread,
  hooks: SessionHooks,
  change: ModelSwitch,
): JsonObject {
  const { from, to, requested, source } = change;
  const answeredAt = hooks.modelSwitches.answeredAt();
  const isWarm = answeredAt !== null && runtime.clock.now() - answeredAt < CACHE_MS;
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
