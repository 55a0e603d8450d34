/**
 * The services of the session for the team tools. The host makes one port per agent, which knows the sender. Every
 * method throws a ToolError that the model should read.
 */
export interface TeamPort {
  /** Only for the leader of the session. */
  create(team: { name: string; description?: string; agentType?: string }): Promise<TeamCreateOutput>;
  /** Only for the leader, when every teammate has ended. */
  delete(signal?: AbortSignal): Promise<TeamDeleteOutput>;
  /** Resolves when the message is on disk. Without a team, `message` reaches agents of the session by name. */
  send(message: TeamMessage): Promise<SendMessageOutput>;
}

/** A message from one agent to others. */
export type TeamMessage =
  | { type: 'message'; recipient: string; content: string; summary?: string }
  | { type: 'broadcast'; content: string; summary?: string }
  | { type: 'shutdown_request'; recipient: string; content?: string }
  | { type: 'shutdown_response'; approve: boolean; content?: string }
  | { type: 'plan_approval_request'; content: string }
  | { type: 'plan_approval_response'; recipient: string; request_id?: string; approve: boolean; content?: string };

/** The output of TeamCreate. */
export interface TeamCreateOutput {
  team_name: string;
  team_file_path: string;
  lead_agent_id: string;
}

/** The output of TeamDelete. */
export interface TeamDeleteOutput {
  success: boolean;
  message: string;
  team_name: string;
}

/** The output of SendMessage. */
export interface SendMessageOutput {
  success: boolean;
  message: string;
  /** The id of a request, which its answer has to name. */
  request_id?: string;
  routing?: {
    sender: string;
    senderColor?: string;
    /** `@name`; several are separated by blanks. */
    target: string;
    targetColor?: string;
    summary?: string;
    content: string;
  };
}
