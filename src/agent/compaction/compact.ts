import type { ApiMessage, Failure } from '../../model/model.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { textOf } from '../../wire/api/text-of.ts';
import type { Message } from '../../wire/messages/index.ts';
import { attachedContent } from '../attachment.ts';
import { addUserContent, messagesFor } from '../messages/api-messages.ts';
import { statusLine } from '../messages/lines.ts';
import { askSideQuestion } from '../side-question.ts';
import type { Turn } from '../turn.ts';
import type { EntryDetails } from '../turn-conversation.ts';
import type { Retained } from './retained.ts';
import { newerHalf, summaryMessage, summaryOf, summaryRequest, trimmed } from './summary.ts';

export { retainedOf } from './retained.ts';

/** The output limit of the request for a summary. */
const MAX_SUMMARY_TOKENS = 20_000;

export type Compacted =
  | ({
      ok: true;
      boundary: Message;
      /** Further fields of the boundary's entry. */
      details: EntryDetails;
    } & Replacement)
  | { ok: false; reason: string; failure: Failure | null };

/** The content that replaces a conversation. */
interface Replacement {
  summary: string;
  /**
   * The ids of the summary line and of the messages that stay after it: the user's message, then the round of calls.
   */
  uuids: { summary: string; retained: readonly string[] };
  /** Context that hooks add for the model. */
  contexts: readonly string[];
}

/**
 * Asks for a summary of the conversation, between two status lines; on failure everything stays as it is. The caller
 * records and shows the boundary and the summary, because a compaction that the user asked for is shown differently,
 * and then calls `replaceConversation`. The history in the file is kept.
 */
export async function* compact(
  turn: Turn,
  options: { trigger: 'manual' | 'auto'; instructions: string; retained: Retained },
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
  const contexts = answer.ok ? await announceCompaction(turn, trigger, answer.summary, signal) : [];
  if (!answer.ok) {
    yield statusLine(turn, null, { compact_result: 'failed', compact_error: answer.reason });
    return answer;
  }
  yield statusLine(turn, null, { compact_result: 'success' });
  const { earlier, round } = options.retained;
  const summary = summaryMessage(answer.summary, round.length > 0 ? [] : earlier);
  const uuids = { summary: ids.uuid(), retained: stayingMessages(options.retained).map(() => ids.uuid()) };
  const details = {
    ...tokensLeft(turn, summary, options.retained),
    duration_ms: clock.now() - started,
    ...preserved(uuids),
  };
  const boundary: Message = {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: turn.sessionId,
    uuid: ids.uuid(),
    compact_metadata: { trigger, pre_tokens: turn.conversation.window.tokens, ...details },
  };
  return { ok: true, summary, boundary, details: { compacted: inCamelCase(details) }, uuids, contexts };
}

/** Files spell in camel case the names that lines spell with underscores. */
function inCamelCase(fields: JsonObject): JsonObject {
  const renamed = Object.entries(fields).map(([key, value]) => [
    key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    isObject(value) ? inCamelCase(value) : value,
  ]);
  return Object.fromEntries(renamed);
}

/** Estimates the tokens after the compaction from the API's last count; empty before the first count. */
function tokensLeft({ conversation, request, tools }: Turn, summary: string, retained: Retained) {
  const { window: context, messages } = conversation;
  if (context.tokens === 0) return {};
  const around = sizeOf([request.system, tools.registry.apiTools()]);
  const share = (around + sizeOf([summary, stayingMessages(retained)])) / (around + sizeOf(messages));
  return { post_tokens: Math.round(context.tokens * share) };
}

/**
 * The size in characters. The data of images and documents is left out: their tokens have little to do with their
 * bytes.
 */
function sizeOf(value: unknown): number {
  return JSON.stringify(value, (key, each) => (key === 'data' ? null : each)).length;
}

/** The ids by which readers of the file find the retained messages: they follow the summary. */
function preserved({ summary, retained }: Replacement['uuids']) {
  const [head] = retained;
  const tail = retained.at(-1);
  if (head === undefined || tail === undefined) return {};
  return { preserved_segment: { head_uuid: head, anchor_uuid: summary, tail_uuid: tail } };
}

function stayingMessages({ asked, round }: Retained): ApiMessage[] {
  return [...(asked.length > 0 ? [{ role: 'user' as const, content: asked }] : []), ...round];
}

/**
 * Fires PostCompact and then SessionStart: the conversation starts over with the summary, so hooks may add their
 * context again.
 */
async function announceCompaction(
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

/** Adds the contexts of hooks for the model, after everything that was kept. */
async function attachContexts(turn: Turn, contexts: readonly string[]): Promise<void> {
  if (contexts.length === 0) return;
  await turn.conversation.attach(contexts.map((content) => ({ type: 'hook_context', content })));
  addUserContent(turn.conversation.messages, contexts.map(textBlock));
}

/**
 * Replaces the conversation by the summary and the messages that are kept word for word. Call it when the boundary and
 * the summary are recorded. The kept messages are recorded again, because readers of the file stop at the boundary.
 */
export async function replaceConversation(
  turn: Turn,
  { summary, uuids, contexts }: Replacement,
  retained: Retained,
): Promise<void> {
  const { asked, round } = retained;
  const staying = stayingMessages(retained).map((message, at) => ({
    retained: message,
    uuid: uuids.retained[at] ?? newId(turn),
  }));
  const details = staying.length > 0 ? await turn.conversation.pendingAttachments() : [];
  const described = details.map((fact) => ({ retained: fact, uuid: newId(turn) }));
  const saidFirst = staying.length - round.length;
  await turn.conversation.retain([...staying.slice(0, saidFirst), ...described, ...staying.slice(saidFirst)]);
  const content = [textBlock(summary), ...asked, ...attachedContent(details)];
  turn.conversation.messages.splice(0, turn.conversation.messages.length, { role: 'user', content }, ...round);
  await attachContexts(turn, contexts);
  turn.conversation.window.tokens = 0;
}

function newId({ runtime }: Turn): string {
  return runtime.ids.uuid();
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

type Summarised = { ok: true; summary: string } | { ok: false; reason: string; failure: Failure | null };

/**
 * Tries the whole conversation first, because the provider has it cached; then without its heaviest parts when it does
 * not fit.
 */
async function summarise(turn: Turn, instructions: string, signal: AbortSignal): Promise<Summarised> {
  const all = messagesFor(turn.request.model, turn.conversation.messages);
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
  // The API wants an output limit above the thinking budget. Without thinking, the request would miss the cache.
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const request = {
    ...turn.request,
    tools: turn.tools.registry.apiTools(),
    maxOutputTokens: Math.min(maxOutputTokens, budget + MAX_SUMMARY_TOKENS),
    messages: withQuestion(messages, summaryRequest(instructions)),
  };
  const { blocks, stopReason, failure } = await askSideQuestion(turn, turn.model, request, signal);
  if (failure) return { ok: false, reason: failure.message, failure };
  if (stopReason !== 'end_turn' && stopReason !== 'stop_sequence') {
    return { ok: false, reason: `the summary ended with ${stopReason}`, failure: null };
  }
  const summary = summaryOf(textOf(blocks, ''));
  if (summary === '') return { ok: false, reason: 'the model wrote no summary', failure: null };
  return { ok: true, summary };
}

/** The question joins an unanswered user message, because roles must alternate. */
function withQuestion(messages: readonly ApiMessage[], question: string): ApiMessage[] {
  const block = { type: 'text' as const, text: question };
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}
