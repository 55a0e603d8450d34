import type { Message } from '../../wire/messages/index.ts';
import { userTextLine } from '../messages/lines.ts';
import type { Turn } from '../turn.ts';
import { compact, replaceConversation, retainedOf } from './compact.ts';

/** The compactions that one turn has tried. */
export interface CompactionAttempts {
  /** Compactions because a request did not fit. */
  afterFailure: number;
  /** Model calls since the last compaction of this turn. */
  stepsSince: number;
  /** Summaries that failed. Each costs a request as large as the conversation. */
  failures: number;
}

const MAX_FAILURES = 2;
const MAX_FAILED_IN_A_ROW = 2;

/**
 * True when the next answer may not fit into the window. False right after a compaction, because another one would not
 * help.
 */
export function contextFull(turn: Turn, { stepsSince, failures }: CompactionAttempts): boolean {
  const { tokens, compactAt, failedInARow } = turn.conversation.window;
  const isFull = compactAt !== null && tokens >= compactAt && turn.conversation.messages.length > 1;
  return isFull && stepsSince > 1 && failures < MAX_FAILURES && failedInARow < MAX_FAILED_IN_A_ROW;
}

/**
 * Called after each model call. A context that stays full is not compacted again and again, because each time costs a
 * long request.
 */
export function noteStep(turn: Turn, attempts: CompactionAttempts): void {
  attempts.stepsSince++;
  const { window: context } = turn.conversation;
  if (attempts.stepsSince !== 1 || context.compactAt === null) return;
  if (context.tokens < context.compactAt) {
    context.failedInARow = 0;
    return;
  }
  context.failedInARow++;
  if (context.failedInARow < MAX_FAILED_IN_A_ROW) return;
  const size = `${context.tokens} tokens, with compaction from ${context.compactAt} on`;
  turn.runtime.log('warn', `Compaction does not make this conversation shorter (${size}); it is not tried again`);
}

/**
 * Replaces the conversation by its summary. Returns false when there is nothing to sum up or the summary failed: the
 * conversation then stays as it is, the host gets a line about it, and the next request shows whether it fits.
 */
export async function* compactNow(
  turn: Turn,
  attempts: CompactionAttempts,
  signal: AbortSignal,
): AsyncGenerator<Message, boolean> {
  if (turn.conversation.messages.length <= 1) return false;
  attempts.stepsSince = 0;
  const retained = retainedOf(turn);
  const outcome = yield* compact(turn, { trigger: 'auto', instructions: '', retained }, signal);
  if (!outcome.ok) {
    attempts.failures++;
    if (!signal.aborted) turn.runtime.log('warn', `The conversation could not be compacted: ${outcome.reason}`);
    return false;
  }
  yield await turn.conversation.record(outcome.boundary, outcome.details);
  const line: Message = { ...userTextLine(turn, outcome.summary), uuid: outcome.uuids.summary, isSynthetic: true };
  yield await turn.conversation.record(line, { isCompactSummary: true });
  turn.tally.userLines++;
  await replaceConversation(turn, outcome, retained);
  return true;
}
