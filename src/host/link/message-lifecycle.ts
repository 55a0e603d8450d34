import type { Runtime } from '../util/runtime.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './parts.ts';

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

/** The echo of an accepted message (wire.md 5.3). */
export function replayLine(
  { message, timestamp, origin }: UserInput,
  uuid: string,
  { sessionId, runtime }: Pick<Parts, 'sessionId' | 'runtime'>,
): Message {
  return {
    type: 'user',
    message,
    session_id: sessionId,
    parent_tool_use_id: null,
    uuid,
    timestamp: timestamp ?? timeOf(runtime),
    ...(origin && { origin }),
    isReplay: true,
  };
}

/** The time that a line carries which is said now. */
export function timeOf({ clock }: Runtime): string {
  return new Date(clock.now()).toISOString();
}
