import type { TeamPort } from './team-port.ts';
import { refusal } from './tool.ts';
import type { ToolSession } from './tool-session.ts';

/** The team port of the session. Without one the tools are not offered; a call is refused all the same. */
export function teamOf({ team }: ToolSession): TeamPort {
  if (team === undefined) throw refusal('There are no teams in this session.');
  return team;
}
