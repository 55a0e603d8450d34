import type { Attributes, Context } from '@opentelemetry/api';

/** `createContextKey` of the API would make another one for each copy of this module. */
const CONVERSATION = Symbol.for('heddle.conversation');

/** The context of a turn, by which the spans below it know whose they are. */
export function withConversation(context: Context, sessionId: string): Context {
  return context.setValue(CONVERSATION, sessionId);
}

export function conversationOf(context: Context): Attributes {
  const id = context.getValue(CONVERSATION);
  return typeof id === 'string' ? { 'gen_ai.conversation.id': id } : {};
}
