import { userContent } from '../agent/conversation.ts';
import { costOf } from '../model/pricing.ts';
import type { JsonObject } from '../util/json.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './parts.ts';

/** How long the API keeps a prompt, as it is asked to. */
const CACHE_MS = 5 * 60_000;

/** What SessionStart hooks are told of a session, beside why it begins. Hosts of earlier versions know none of it. */
export function startFields(parts: Parts, source: 'startup' | 'resume' | 'clear'): JsonObject {
  if (parts.dialect === '2.1.44') return { source };
  const { chosen, mainAgent, transcript } = parts;
  return {
    source: source === 'resume' && transcript.forkedFrom !== null ? 'fork' : source,
    model: chosen.id,
    ...(mainAgent && { agent_type: mainAgent.name }),
    ...titleField(parts),
    ...(source === 'resume' && sinceThen(parts)),
  };
}

/** What it means to go on with a conversation: what is sent again, and whether the provider still has it. */
function sinceThen({ transcript: { answeredAt }, runtime, context, chosen }: Parts): JsonObject {
  if (answeredAt === null) return {};
  const passed = Math.max(0, runtime.clock.now() - answeredAt);
  const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: context.tokens };
  return {
    seconds_since_last_response: Math.round(passed / 1000),
    context_tokens: context.tokens,
    prompt_cache_likely_expired: passed >= CACHE_MS,
    estimated_cache_write_usd: costOf(chosen.id, written),
  };
}

/** What UserPromptSubmit hooks are told beside the prompt. */
export function promptFields(parts: Parts, { origin }: UserInput): JsonObject {
  if (parts.dialect === '2.1.44') return {};
  const isOwn = origin !== undefined && origin.kind !== 'human' && origin.kind !== 'peer';
  return { source: isOwn ? 'system' : 'sdk', ...titleField(parts) };
}

/** The message behind what hooks want to be said first. */
export function withOpening(input: UserInput, opening: readonly string[]): UserInput {
  if (opening.length === 0) return input;
  const texts = opening.map((text) => ({ type: 'text' as const, text }));
  return { ...input, message: { role: 'user', content: [...texts, ...userContent(input.message)] } };
}

function titleField({ title, titleInForce }: Parts): JsonObject {
  const name = title ?? titleInForce;
  return name === null ? {} : { session_title: name };
}
