import type { AgentCall } from '../tools/agent.ts';
import type { TeamPort } from '../tools/team-port.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import type { NewsSource } from './session-tasks.ts';

/** The team of a session. Only sessions that may have one load what is behind it. */
export interface SessionTeam extends NewsSource {
  /** Told when there is mail for the leader; set by the session. */
  onNews: () => void;
  /** What the team tools of an agent ask: of a member by its name, or of the leader. */
  portOf(member: string | undefined): TeamPort;
  /** Answers a call of the Task tool that names a team. */
  spawn(call: AgentCall, context: ToolContext): Promise<ToolOutput>;
  /**
   * A turn of the leader begins. The first brings back the team that the session led when its last process ended.
   * `isLast`: the user has said nothing new, or will say no more.
   */
  begin(how: { isLast: boolean }): Promise<void>;
  /** What it is called; null while there is none. */
  name(): string | null;
  /** The members of whom a turn runs, or begins at once. */
  active(): { id: string; name: string }[];
  /** The user will say no more. */
  inputEnded(): void;
  /** Ends with the process; what is on disk stays. */
  close(): Promise<void>;
}
