import type { ApiMessage } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Turn } from '../turn.ts';
import { trimmed } from './summary.ts';

/** The messages that stay word for word when the rest of a conversation becomes a summary. */
export interface Retained {
  /** The user's request in this turn. */
  asked: readonly ContentBlock[];
  /** The last calls and their results, when no answer has come since; empty otherwise. */
  round: readonly ApiMessage[];
  /** The part of the conversation that only the summary covers. */
  earlier: readonly ApiMessage[];
}

/** A round of calls that takes more than this share of the window is kept without its long results. */
const MAX_ROUND_SHARE = 0.25;
const CHARS_PER_TOKEN = 3.5;

export function retainedOf({ conversation, asked }: Pick<Turn, 'conversation' | 'asked'>): Retained {
  const { messages, window: context } = conversation;
  const round = openRound(messages);
  const last = messages.at(-1);
  const isUnanswered = last?.role === 'user';
  const dropped = round.length > 0 ? round.length : isUnanswered ? 1 : 0;
  const joined = new Set(round.at(-1)?.content);
  return {
    asked: asked.filter((block) => !joined.has(block)),
    round: tokensOf(round) > context.window * MAX_ROUND_SHARE ? trimmed(round) : round,
    earlier: messages.slice(0, messages.length - dropped),
  };
}

function openRound(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const hasResults = messages.at(-1)?.content.some(({ type }) => type === 'tool_result') ?? false;
  return hasResults && messages.at(-2)?.role === 'assistant' ? messages.slice(-2) : [];
}

function tokensOf(messages: readonly ApiMessage[]): number {
  return JSON.stringify(messages).length / CHARS_PER_TOKEN;
}
