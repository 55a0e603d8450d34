import { pathTo, readTree } from '../../sessions/tree/build-tree.ts';
import type { Entry } from '../../wire/entries.ts';
import { ControlError } from '../../wire/errors.ts';
import type { Conversation } from './conversation.ts';

export interface ForkOptions {
  /** Makes the id of the copy. */
  newId(): string;
  /** The last message to copy; undefined: the one at which the conversation is. */
  at?: string | undefined;
  title?: string | undefined;
}

/**
 * Copies a conversation, or its beginning up to a message, to a new session. The conversation itself does not change.
 * Resolves with the id of the new session.
 */
export async function forkConversation(
  { transcript, leaf, anchors }: Pick<Conversation, 'transcript' | 'leaf' | 'anchors'>,
  { newId, at, title }: ForkOptions,
): Promise<string> {
  const { store, key, isSaved } = transcript;
  if (!isSaved) throw new ControlError('This session is not kept on disk, so it cannot be forked', 'not_supported');
  const tree = await readTree(store.load(key));
  const last = at === undefined ? leaf : anchors.entryOf(at);
  const path = last === null ? [] : pathTo(tree, last);
  if (path.length === 0) {
    const what = at === undefined ? 'This session has no messages yet' : `No message of it has the uuid ${at}`;
    throw new ControlError(`${what}; nothing was forked`, 'unknown_parent');
  }
  const sessionId = newId();
  const copies: Entry[] = path.map((entry) => ('sessionId' in entry ? { ...entry, sessionId } : entry));
  if (title !== undefined) copies.push({ type: 'custom-title', customTitle: title, sessionId });
  await store.append({ ...key, sessionId }, copies);
  return sessionId;
}
