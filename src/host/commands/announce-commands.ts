import { lineIds, systemLine } from '../../agent/system-line.ts';
import type { SessionServices } from '../thread/services.ts';
import { listedCommands } from './command-list.ts';

/** Sends the commands to the host when they have changed. A host that has never asked for them gets nothing. */
export function announceCommands(services: SessionServices): void {
  const { preferences, link, id: sessionId, runtime } = services;
  if (preferences.announcedCommands === null) return;
  const commands = listedCommands(services);
  const announced = JSON.stringify(commands);
  if (announced === preferences.announcedCommands) return;
  preferences.announcedCommands = announced;
  // The next turn notices a reader that is gone.
  link.send(systemLine(lineIds({ sessionId, runtime }), 'commands_changed', { commands }))?.catch(() => {});
}
