import type { AgentCall } from '../../tools/agents/agents-port.ts';
import type { TeamPort } from '../../tools/agents/team-port.ts';
import type { ToolContext, ToolOutput } from '../../tools/tool.ts';
import type { TriggerSource } from '../background/turn-triggers.ts';

/** The team of a session. Only sessions that may have a team load the implementation. */
export interface SessionTeam extends TriggerSource {
  /** The port for the team tools of a member, by its name, or of the leader. */
  portOf(member: string | undefined): TeamPort;
  /** Answers a call of the Task tool that names a team. */
  spawn(call: AgentCall, context: ToolContext): Promise<ToolOutput>;
  /**
   * Called when a turn of the leader begins. The first turn restores the team that the session led when its last
   * process ended. `isLast`: the user has sent nothing new, or will send no more.
   */
  begin(how: { isLast: boolean }): Promise<void>;
  /** The name of the team; null while there is none. */
  name(): string | null;
  /** The members whose turn runs, or begins at once. */
  active(): { id: string; name: string }[];
  /** Called when the user will send no more messages. */
  inputEnded(): void;
  /** Ends the members with the process; their files stay. */
  close(): Promise<void>;
}
