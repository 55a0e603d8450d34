import type { ApiMessage, Failure } from '../model/model.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { askAside } from './aside.ts';
import { attachedContent } from './attachment.ts';
import { addUserContent, messagesFor } from './conversation.ts';
import type { Kept } from './kept.ts';
import { statusLine } from './lines.ts';
import type { EntryFacts } from './recorder.ts';
import { newerHalf, summaryMessage, summaryOf, summaryRequest, trimmed } from './summary.ts';
import type { Turn } from './turn.ts';

export { keptOf } from './kept.ts';

/** What the API may write as a summary. */
const MAX_SUMMARY_TOKENS = 20_000;

export type Compacted =
  | ({
      ok: true;
      boundary: Message;
      /** What the entry of the boundary holds beside it. */
      facts: EntryFacts;
    } & Replacement)
  | { ok: false; reason: string; failure: Failure | null };

/** What comes into the place of a conversation. */
interface Replacement {
  summary: string;
  /** Of the line with the summary, and of the messages behind it that stay: that of the user, then the round of calls. */
  uuids: { summary: string; kept: readonly string[] };
  /** What hooks add for the model. */
  contexts: readonly string[];
}

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
  const { clock, ids } = turn.runtime;
  const started = clock.now();
  yield statusLine(turn, 'compacting');
  const answer = await summarise(turn, instructions, signal);
  const contexts = answer.ok ? await tellCompacted(turn, trigger, answer.summary, signal) : [];
  if (!answer.ok) {
    yield statusLine(turn, null, { compact_result: 'failed', compact_error: answer.reason });
    return answer;
  }
  yield statusLine(turn, null, { compact_result: 'success' });
  const { earlier, round } = options.kept;
  const summary = summaryMessage(answer.summary, round.length > 0 ? [] : earlier);
  const uuids = { summary: ids.uuid(), kept: stayingMessages(options.kept).map(() => ids.uuid()) };
  const facts = {
    ...tokensLeft(turn, summary, options.kept),
    duration_ms: clock.now() - started,
    ...preserved(uuids),
  };
  const boundary: Message = {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: turn.sessionId,
    uuid: ids.uuid(),
    compact_metadata: { trigger, pre_tokens: turn.context.tokens, ...facts },
  };
  return { ok: true, summary, boundary, facts: { compacted: inCamelCase(facts) }, uuids, contexts };
}

/** As files spell what lines spell with underscores. */
function inCamelCase(fields: JsonObject): JsonObject {
  const renamed = Object.entries(fields).map(([key, value]) => [
    key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    isObject(value) ? inCamelCase(value) : value,
  ]);
  return Object.fromEntries(renamed);
}

/** How many there will be, on the scale of those that the API counted before; nothing where it has not counted yet. */
function tokensLeft({ context, request, tools, messages }: Turn, summary: string, kept: Kept) {
  if (context.tokens === 0) return {};
  const around = sizeOf([request.system, tools.apiTools()]);
  const share = (around + sizeOf([summary, stayingMessages(kept)])) / (around + sizeOf(messages));
  return { post_tokens: Math.round(context.tokens * share) };
}

/** In characters. What an image or a document is made of does not count: its tokens have little to do with its bytes. */
function sizeOf(value: unknown): number {
  return JSON.stringify(value, (key, each) => (key === 'data' ? null : each)).length;
}

/** Where readers of the file find what stays: behind the summary, where a relink leaves it. */
function preserved({ summary, kept }: Replacement['uuids']) {
  const [head] = kept;
  const tail = kept.at(-1);
  if (head === undefined || tail === undefined) return {};
  return { preserved_segment: { head_uuid: head, anchor_uuid: summary, tail_uuid: tail } };
}

function stayingMessages({ asked, round }: Kept): ApiMessage[] {
  return [...(asked.length > 0 ? [{ role: 'user' as const, content: asked }] : []), ...round];
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
  { summary, uuids, contexts }: Replacement,
  kept: Kept,
): Promise<void> {
  const { asked, round } = kept;
  const staying = stayingMessages(kept).map((message, at) => ({ kept: message, uuid: uuids.kept[at] ?? newId(turn) }));
  const facts = staying.length > 0 ? await turn.facts() : [];
  const told = facts.map((fact) => ({ kept: fact, uuid: newId(turn) }));
  const saidFirst = staying.length - round.length;
  await turn.keep([...staying.slice(0, saidFirst), ...told, ...staying.slice(saidFirst)]);
  const content = [textBlock(summary), ...asked, ...attachedContent(facts)];
  turn.messages.splice(0, turn.messages.length, { role: 'user', content }, ...round);
  await attachContexts(turn, contexts);
  turn.context.tokens = 0;
}

function newId({ runtime }: Turn): string {
  return runtime.ids.uuid();
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
