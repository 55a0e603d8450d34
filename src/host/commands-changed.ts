import { listedCommands } from './initialize-answer.ts';
import type { Parts } from './parts.ts';

/** Tells the host the commands, where they are others than it knows. One that has never asked for them is told nothing. */
export function tellCommands(parts: Parts): void {
  const { sessionId, runtime, toldCommands } = parts;
  if (toldCommands === null) return;
  const commands = listedCommands(parts);
  const told = JSON.stringify(commands);
  if (told === toldCommands) return;
  parts.toldCommands = told;
  const ids = { session_id: sessionId, uuid: runtime.ids.uuid() };
  // A reader that is gone is noticed by the next turn.
  parts.say({ type: 'system', subtype: 'commands_changed', commands, ...ids })?.catch(() => {});
}
