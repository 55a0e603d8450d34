import type { Member } from './member.ts';

/** The `tool_use_result` of Task for a new teammate (wire.md 9.4). */
export interface TeammateSpawnedOutput {
  status: 'teammate_spawned';
  prompt: string;
  teammate_id: string;
  agent_id: string;
  agent_type: string;
  model: string;
  name: string;
  color: string;
  tmux_session_name: 'in-process';
  tmux_window_name: 'in-process';
  tmux_pane_id: 'in-process';
  team_name: string;
  is_splitpane: false;
  plan_mode_required: boolean;
}

export function spawnedOutput(member: Member, team: string): TeammateSpawnedOutput {
  return {
    status: 'teammate_spawned',
    prompt: member.prompt,
    teammate_id: member.agentId,
    agent_id: member.agentId,
    agent_type: member.agentType,
    model: member.model,
    name: member.name,
    color: member.color,
    tmux_session_name: 'in-process',
    tmux_window_name: 'in-process',
    tmux_pane_id: 'in-process',
    team_name: team,
    is_splitpane: false,
    plan_mode_required: member.planModeRequired,
  };
}
