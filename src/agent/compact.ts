import { createAccumulator } from '../model/accumulate.ts';
import { isGroup } from '../model/each-event.ts';
import type { ApiMessage, Failure } from '../model/model.ts';
import type { Message } from '../wire/messages/index.ts';
import { messagesFor } from './conversation.ts';
import { newerHalf, summaryMessage, summaryOf, summaryRequest, trimmed } from './summary.ts';
import type { Turn } from './turn.ts';

/** What the API may write as a summary. */
const MAX_SUMMARY_TOKENS = 20_000;

export type Compacted =
  | { ok: true; summary: string; boundary: Message }
  | { ok: false; reason: string; failure: Failure | null };

/**
 * Asks for a summary of the conversation, between two status lines. Recording the boundary and the summary, and showing
 * them, is the caller's part, because a compaction that the user asked for is told differently; `replaceConversation`
 * comes after that. Nothing of the file's history is lost. On failure everything stays as it is.
 */
export async function* compact(
  turn: Turn,
  options: { trigger: 'manual' | 'auto'; instructions: string },
  signal: AbortSignal,
): AsyncGenerator<Message, Compacted> {
  yield statusLine(turn, 'compacting');
  const answer = await summarise(turn, options.instructions, signal);
  yield statusLine(turn, null);
  if (!answer.ok) return answer;
  const summary = summaryMessage(answer.summary, turn.messages);
  const boundary: Message = {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
    compact_metadata: { trigger: options.trigger, pre_tokens: turn.context.tokens },
  };
  return { ok: true, summary, boundary };
}

/** Puts the summary in the place of the conversation. Call it when the boundary and the summary are recorded. */
export function replaceConversation(turn: Turn, summary: string): void {
  turn.messages.splice(0, turn.messages.length, { role: 'user', content: [{ type: 'text', text: summary }] });
  turn.context.tokens = 0;
}

type Summarised = { ok: true; summary: string } | { ok: false; reason: string; failure: Failure | null };

/** The whole conversation first, because the provider has it cached; without its heaviest parts when it does not fit. */
async function summarise(turn: Turn, instructions: string, signal: AbortSignal): Promise<Summarised> {
  const all = messagesFor(turn.request.model, turn.messages);
  const light = trimmed(all);
  let outcome: Summarised = { ok: false, reason: 'nothing was tried', failure: null };
  for (const messages of [all, light, newerHalf(light)]) {
    if (messages.length === 0) break;
    outcome = await askForSummary(turn, messages, instructions, signal);
    if (outcome.ok || outcome.failure?.class !== 'prompt_too_long') return outcome;
  }
  return outcome;
}

async function askForSummary(
  turn: Turn,
  messages: readonly ApiMessage[],
  instructions: string,
  signal: AbortSignal,
): Promise<Summarised> {
  const { thinking, maxOutputTokens } = turn.request;
  // The API wants more room than the thinking may take. Without the thinking, what it has cached would not fit.
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const request = {
    ...turn.request,
    maxOutputTokens: Math.min(maxOutputTokens, budget + MAX_SUMMARY_TOKENS),
    messages: withQuestion(messages, summaryRequest(instructions)),
  };
  const started = turn.runtime.clock.now();
  let accumulator = createAccumulator();
  let text = '';
  let failure: Failure | null = null;
  for await (const item of turn.model.stream(request, signal)) {
    for (const event of isGroup(item) ? item : [item]) {
      if (event.type === 'failure') failure = event.failure;
      if (event.type === 'retry') {
        accumulator = createAccumulator();
        text = '';
      }
      const completed = event.type === 'event' ? accumulator.add(event.event) : null;
      if (completed?.block.type === 'text') text += completed.block.text;
    }
  }
  turn.ledger.addApiTime(turn.runtime.clock.now() - started);
  if (accumulator.stopReason !== null) turn.ledger.addAside(accumulator.head.model, accumulator.usage);
  if (failure) return { ok: false, reason: failure.message, failure };
  if (accumulator.stopReason !== 'end_turn' && accumulator.stopReason !== 'stop_sequence') {
    return { ok: false, reason: `the summary ended with ${accumulator.stopReason}`, failure: null };
  }
  const summary = summaryOf(text);
  if (summary === '') return { ok: false, reason: 'the model wrote no summary', failure: null };
  return { ok: true, summary };
}

/** The question joins a user message that nobody has answered yet: roles alternate. */
function withQuestion(messages: readonly ApiMessage[], question: string): ApiMessage[] {
  const block = { type: 'text' as const, text: question };
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}

function statusLine(turn: Turn, status: 'compacting' | null): Message {
  return { type: 'system', subtype: 'status', status, session_id: turn.sessionId, uuid: turn.runtime.ids.uuid() };
}
