import { sendMessageTool } from './send-message.ts';
import { teamCreateTool } from './team-create.ts';
import { teamDeleteTool } from './team-delete.ts';
import type { Tool } from './tool.ts';

/** What the leader of a team has beside Task, in the order in which requests list them (wire.md 9.4). */
export const teamTools: readonly Tool[] = [teamCreateTool, teamDeleteTool, sendMessageTool] as unknown as Tool[];
