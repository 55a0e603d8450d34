import type { Runtime } from '../../util/runtime.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';

export type LifecycleState = 'queued' | 'started' | 'completed' | 'cancelled';

/** The lines that report the states of a message to the host; empty for a message without a uuid. */
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

/** The line that repeats an accepted message to the host. */
export function replayLine(
  { message, timestamp, origin }: UserInput,
  uuid: string,
  { sessionId, runtime }: { sessionId: string; runtime: Runtime },
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

/** The timestamp of a line that is sent now. */
export function timeOf({ clock }: Runtime): string {
  return new Date(clock.now()).toISOString();
}
