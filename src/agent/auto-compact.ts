import type { Message } from '../wire/messages/index.ts';
import { userTextLine } from './lines.ts';
import type { Turn } from './turn.ts';

/** What one turn has done to make room. */
export interface Attempts {
  /** Compactions because a request did not fit. */
  afterFailure: number;
  /** Model calls since the last compaction of this turn. */
  stepsSince: number;
  /** Summaries that did not come about. Each costs a request as large as the conversation. */
  failures: number;
}

const MAX_FAILURES = 2;
const MAX_FRUITLESS = 2;

/** So near to the window that the next answer may not fit. Right after a compaction another one would not help. */
export function contextFull(turn: Turn, { stepsSince, failures }: Attempts): boolean {
  const { tokens, compactAt, fruitless } = turn.context;
  const isFull = compactAt !== null && tokens >= compactAt && turn.messages.length > 1;
  return isFull && stepsSince > 1 && failures < MAX_FAILURES && fruitless < MAX_FRUITLESS;
}

/** After each model call. A context that stays full is not compacted again and again: each time costs a long request. */
export function noteStep(turn: Turn, room: Attempts): void {
  room.stepsSince++;
  const { context } = turn;
  if (room.stepsSince !== 1 || context.compactAt === null) return;
  if (context.tokens < context.compactAt) {
    context.fruitless = 0;
    return;
  }
  context.fruitless++;
  if (context.fruitless < MAX_FRUITLESS) return;
  const size = `${context.tokens} tokens, with compaction from ${context.compactAt} on`;
  turn.runtime.log('warn', `Compaction does not make this conversation shorter (${size}); it is not tried again`);
}

/**
 * Replaces the conversation by its summary and goes on. False when there is nothing to sum up or the summary failed: then
 * everything stays as it was, which is said, and the next request shows whether it fits.
 */
export async function* makeRoom(turn: Turn, room: Attempts, signal: AbortSignal): AsyncGenerator<Message, boolean> {
  if (turn.messages.length <= 1) return false;
  room.stepsSince = 0;
  const { compact, keptOf, replaceConversation } = await import('./compact.ts'); // most turns need none of it
  const kept = keptOf(turn);
  const outcome = yield* compact(turn, { trigger: 'auto', instructions: '', kept }, signal);
  if (!outcome.ok) {
    room.failures++;
    if (!signal.aborted) turn.runtime.log('warn', `The conversation could not be compacted: ${outcome.reason}`);
    return false;
  }
  yield await turn.record(outcome.boundary, outcome.facts);
  const line: Message = { ...userTextLine(turn, outcome.summary), uuid: outcome.uuids.summary, isSynthetic: true };
  yield await turn.record(line, { isCompactSummary: true });
  turn.tally.userLines++;
  await replaceConversation(turn, outcome, kept);
  return true;
}
