import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';

export type LifecycleState = 'queued' | 'started' | 'completed' | 'cancelled';

/** Lines that tell a host what became of a message; only for messages that carry a uuid to tell it by (ruling K26). */
export function lifecycleLines(
  input: UserInput,
  states: readonly LifecycleState[],
  newId: () => string,
  sessionId: string,
): Message[] {
  const { uuid: command_uuid } = input;
  if (command_uuid === undefined) return [];
  return states.map((state) => ({
    type: 'command_lifecycle',
    command_uuid,
    state,
    uuid: newId(),
    session_id: sessionId,
  }));
}
