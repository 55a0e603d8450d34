import type { ApiMessage, Failure } from '../model/model.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { askAside } from './aside.ts';
import { attachedContent } from './attachment.ts';
import { addUserContent, messagesFor } from './conversation.ts';
import type { Kept } from './kept.ts';
import { newerHalf, summaryMessage, summaryOf, summaryRequest, trimmed } from './summary.ts';
import type { Turn } from './turn.ts';

export { keptOf } from './kept.ts';

/** What the API may write as a summary. */
const MAX_SUMMARY_TOKENS = 20_000;

export type Compacted =
  | { ok: true; summary: string; boundary: Message /** What hooks add for the model. */; contexts: readonly string[] }
  | { ok: false; reason: string; failure: Failure | null };

/**
 * Asks for a summary of the conversation, between two status lines. Recording the boundary and the summary, and showing
 * them, is the caller's part, because a compaction that the user asked for is told differently; `replaceConversation`
 * comes after that. Nothing of the file's history is lost. On failure everything stays as it is.
 */
export async function* compact(
  turn: Turn,
  options: { trigger: 'manual' | 'auto'; instructions: string; kept: Kept },
  signal: AbortSignal,
): AsyncGenerator<Message, Compacted> {
  const { trigger, instructions } = options;
  const before = await turn.hooks?.fire('PreCompact', { trigger, custom_instructions: instructions }, signal);
  const objection = before?.block ?? before?.stop?.reason ?? null;
  if (objection !== null) return { ok: false, reason: `A hook objects: ${objection}`, failure: null };
  yield statusLine(turn, 'compacting');
  const answer = await summarise(turn, instructions, signal);
  const contexts = answer.ok ? await tellCompacted(turn, trigger, answer.summary, signal) : [];
  yield statusLine(turn, null);
  if (!answer.ok) return answer;
  const { earlier, round } = options.kept;
  const summary = summaryMessage(answer.summary, round.length > 0 ? [] : earlier);
  const boundary: Message = {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
    compact_metadata: { trigger, pre_tokens: turn.context.tokens },
  };
  return { ok: true, summary, boundary, contexts };
}

/** The conversation begins anew with the summary: hooks may add to it what they added to its beginning. */
async function tellCompacted(
  { hooks, request }: Turn,
  trigger: 'manual' | 'auto',
  summary: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!hooks) return [];
  await hooks.fire('PostCompact', { trigger, compact_summary: summary }, signal);
  const { contexts } = await hooks.fire('SessionStart', { source: 'compact', model: request.model }, signal);
  return contexts;
}

/** Tells the model what hooks add, behind everything that was kept. */
async function attachContexts(turn: Turn, contexts: readonly string[]): Promise<void> {
  if (contexts.length === 0) return;
  await turn.attach(contexts.map((content) => ({ type: 'hook_context', content })));
  addUserContent(turn.messages, contexts.map(textBlock));
}

/**
 * Puts the summary, and behind it what is kept word for word, in the place of the conversation. Call it when the boundary
 * and the summary are recorded. What is kept is recorded once more: whoever reads the file stops at the boundary.
 */
export async function replaceConversation(
  turn: Turn,
  { summary, contexts }: { summary: string; contexts: readonly string[] },
  { asked, round }: Kept,
): Promise<void> {
  const facts = asked.length > 0 || round.length > 0 ? await turn.facts() : [];
  const said = asked.length > 0 ? [{ role: 'user' as const, content: asked }] : [];
  await turn.keep([...said, ...facts, ...round]);
  const content = [textBlock(summary), ...asked, ...attachedContent(facts)];
  turn.messages.splice(0, turn.messages.length, { role: 'user', content }, ...round);
  await attachContexts(turn, contexts);
  turn.context.tokens = 0;
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
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
    tools: turn.tools.apiTools(),
    maxOutputTokens: Math.min(maxOutputTokens, budget + MAX_SUMMARY_TOKENS),
    messages: withQuestion(messages, summaryRequest(instructions)),
  };
  const { blocks, stopReason, failure } = await askAside(turn, turn.model, request, signal);
  if (failure) return { ok: false, reason: failure.message, failure };
  if (stopReason !== 'end_turn' && stopReason !== 'stop_sequence') {
    return { ok: false, reason: `the summary ended with ${stopReason}`, failure: null };
  }
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
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
