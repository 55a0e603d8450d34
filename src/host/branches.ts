import { HeddleError } from '../wire/errors.ts';
import { pastTodos } from './left-behind.ts';
import type { Parts } from './parts.ts';

/**
 * Goes on from another message of the session: what was written since stays in the file, as another branch. Null begins
 * a new conversation in the same file. Rejects with `unknown_parent`, and then nothing has changed. Only between turns.
 */
export async function goOnFrom(parts: Parts, uuid: string | null): Promise<void> {
  if (uuid === null) {
    startOver(parts);
    return;
  }
  const node = parts.spoken.get(uuid) ?? uuid;
  if (node === parts.recorder.leaf) return;
  const past = await parts.transcript.pastAt(node).catch((error) => {
    throw HeddleError.isInstance(error) && error.code === 'session_not_found' ? unknownParent(uuid, error) : error;
  });
  const messages = past.messages([]);
  parts.messages.length = 0;
  for (const message of messages) parts.messages.push(message);
  parts.context.tokens = past.lastTokens;
  parts.recorder.goOnFrom(past.leaf);
  parts.reminders.restart(past.reminders);
  parts.toolSession.todos.current = await pastTodos({ messages, earlier: past.earlier });
  if (parts.checkpoints) parts.checkpoints.follow((await past.checkpoints()).messages);
  parts.isBranching = true;
}

/** The next message begins a conversation that knows nothing of what was said before. */
export function startOver(parts: Parts): void {
  parts.messages.length = 0;
  parts.context.tokens = 0;
  parts.recorder.goOnFrom(null);
  parts.reminders.restart([]);
}

function unknownParent(uuid: string, cause: unknown): HeddleError {
  const message = `No message of this session has the uuid ${uuid}; nothing was sent`;
  return new HeddleError('unknown_parent', message, { facts: { uuid }, cause });
}
