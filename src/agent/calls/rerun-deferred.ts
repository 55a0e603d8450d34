import type { Message } from '../../wire/messages/index.ts';
import type { Turn } from '../turn.ts';
import type { TurnEnd } from '../turn-end.ts';
import { hookStopped } from './hook-stopped.ts';
import { runTools } from './run-tools.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * Runs hooks and the permission check again for calls that a hook had deferred when an earlier process ended. Their new
 * results replace the placeholders in the conversation. Returns null when the turn continues.
 */
export async function* rerunDeferred(
  turn: Turn,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd | null> {
  const last = turn.conversation.messages.at(-1);
  const ids = new Set(calls.map(({ block }) => block.id));
  const rest = last?.role === 'user' ? last.content : [];
  const kept = rest.filter((block) => block.type !== 'tool_result' || !ids.has(block.tool_use_id));
  if (last?.role === 'user') turn.conversation.messages.pop();
  const round = yield* runTools(turn, calls, signal);
  const results = turn.conversation.messages.pop()?.content ?? [];
  // Results stand before texts: the API wants all of them at the beginning of one message.
  const found = [...kept, ...results];
  const isResult = ({ type }: { type: string }) => type === 'tool_result';
  const content = [...found.filter(isResult), ...found.filter((block) => !isResult(block))];
  turn.conversation.messages.push({ role: 'user', content });
  if (round.interrupted) return { kind: 'interrupted', during: 'tools' };
  if (round.stoppedByHook !== null) return yield* hookStopped(turn, round.stoppedByHook);
  turn.tally.rounds++;
  const [again] = round.deferred;
  return again ? { kind: 'deferred', call: again.block } : null;
}
