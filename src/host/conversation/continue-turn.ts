import type { Conversation } from './conversation.ts';

/**
 * Whether the turn can continue without a new message: calls wait to be run, a prompt, results or an error end the conversation, or the session was resumed
 * in the middle of an answer.
 */
export function isUnfinished(conversation: Conversation): boolean {
  const { deferred } = conversation.transcript;
  return deferred.length > 0 || conversation.messages.at(-1)?.role === 'user' || cutAnswer(conversation) !== null;
}

/**
 * Prepares a turn without a new message. An answer that broke off becomes a side branch. Resolves with the uuid of the
 * prompt that the turn answers, if it is known. Call it only when `isUnfinished`.
 */
export async function continueConversation(conversation: Conversation): Promise<string[]> {
  const { unfinished } = conversation.transcript;
  const cut = cutAnswer(conversation);
  if (cut !== null) await conversation.moveTo(cut);
  return unfinished?.promptUuid ? [unfinished.promptUuid] : [];
}

/** The entry before the answer in whose middle the session was resumed; null: it continued since, or there is none. */
function cutAnswer({ transcript, leaf }: Conversation): string | null {
  const cut = transcript.unfinished?.cutAnswer;
  return cut && cut.leaf === leaf ? cut.before : null;
}
