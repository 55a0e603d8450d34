import { costOf } from '../../model/pricing.ts';
import type { JsonObject } from '../../util/json.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { HookedConversation, HookedThread } from './hooked-thread.ts';

/** How long the API caches a prompt, as requests ask for it. */
const CACHE_MS = 5 * 60_000;

type StartingThread = Pick<HookedThread, 'services' | 'conversation' | 'model' | 'identity'>;

/** The input of SessionStart hooks about a session. Hosts of the earlier version get only the source. */
export function startFields(thread: StartingThread, source: 'startup' | 'resume' | 'clear'): JsonObject {
  const { services, conversation, model, identity } = thread;
  if (services.preferences.dialect === '2.1.44') return { source };
  return {
    source: source === 'resume' && conversation.transcript.forkedFrom !== null ? 'fork' : source,
    model: model.selected.id,
    ...(identity.role && { agent_type: identity.role.name }),
    ...titleField(conversation),
    ...(source === 'resume' && resumeFields(thread)),
  };
}

/** The cost of resuming: how much is sent again, and whether the provider still caches it. */
function resumeFields({ services: { runtime }, conversation, model }: StartingThread): JsonObject {
  const { transcript, window } = conversation;
  if (transcript.answeredAt === null) return {};
  const passed = Math.max(0, runtime.clock.now() - transcript.answeredAt);
  const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: window.tokens };
  return {
    seconds_since_last_response: Math.round(passed / 1000),
    context_tokens: window.tokens,
    prompt_cache_likely_expired: passed >= CACHE_MS,
    estimated_cache_write_usd: costOf(model.selected.id, written),
  };
}

/** The input of UserPromptSubmit hooks in addition to the prompt. */
export function promptFields(
  { services, conversation }: Pick<HookedThread, 'services' | 'conversation'>,
  { origin }: UserInput,
): JsonObject {
  if (services.preferences.dialect === '2.1.44') return {};
  const isOwn = origin !== undefined && origin.kind !== 'human' && origin.kind !== 'peer';
  return { source: isOwn ? 'system' : 'sdk', ...titleField(conversation) };
}

function titleField({ title }: Pick<HookedConversation, 'title'>): JsonObject {
  const name = title.pending ?? title.inForce;
  return name === null ? {} : { session_title: name };
}
