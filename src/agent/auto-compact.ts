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

/** So near to the window that the next answer may not fit. Right after a compaction another one would not help. */
export function contextFull(turn: Turn, { stepsSince, failures }: Attempts): boolean {
  const { tokens, compactAt } = turn.context;
  return (
    compactAt !== null && tokens >= compactAt && stepsSince > 1 && failures < MAX_FAILURES && turn.messages.length > 1
  );
}

/**
 * Replaces the conversation by its summary and goes on. False when there is nothing to sum up or the summary failed: then
 * everything stays as it was, which is said, and the next request shows whether it fits.
 */
export async function* makeRoom(turn: Turn, room: Attempts, signal: AbortSignal): AsyncGenerator<Message, boolean> {
  if (turn.messages.length <= 1) return false;
  room.stepsSince = 0;
  const { compact, replaceConversation } = await import('./compact.ts'); // most turns need none of it
  const outcome = yield* compact(turn, { trigger: 'auto', instructions: '' }, signal);
  if (!outcome.ok) {
    room.failures++;
    if (!signal.aborted) turn.runtime.log('warn', `The conversation could not be compacted: ${outcome.reason}`);
    return false;
  }
  yield await turn.record(outcome.boundary);
  const line: Message = { ...userTextLine(turn, outcome.summary), isSynthetic: true };
  yield await turn.record(line, { isCompactSummary: true });
  turn.tally.userLines++;
  replaceConversation(turn, outcome.summary);
  return true;
}
