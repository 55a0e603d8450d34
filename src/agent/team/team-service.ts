import type { SendMessageOutput, TeamMessage, TeamPort } from '../../tools/agents/team-port.ts';
import { ToolError } from '../../tools/tool.ts';
import { lockedFiles, type TeamFiles } from './locked-files.ts';
import { LEADER } from './mail.ts';
import type { TeamRuntimePort } from './member-loop.ts';
import { createTeam, findTeam, restoreTeam } from './open-team.ts';
import { leadAgentIdOf } from './roster.ts';
import type { Team } from './team.ts';

export interface TeamServiceOptions {
  /** The config home. */
  home: string;
  leadSessionId: string;
  leadModel(): string;
  cwd: string;
  port: TeamRuntimePort;
  /** Gives a message to an agent of the session that is in no team. False when no agent has that name. */
  sendToAgent(name: string, message: { from: string; content: string; summary?: string }): Promise<boolean>;
  files?: TeamFiles;
}

/** Holds the team of a session, which leads at most one at a time. */
export interface TeamService {
  team(): Team | null;
  /** The team that the session led when its last process ended, if any. */
  restore(): Promise<Team | null>;
  /** The port for the tools of one agent; `sender` is `team-lead` for the session itself, else the name of a member. */
  port(sender: string): TeamPort;
  close(): Promise<void>;
}

export function createTeamService(options: TeamServiceOptions): TeamService {
  const { home, leadSessionId, cwd, port, files = lockedFiles() } = options;
  let team: Team | null = null;
  let isOpening = false;

  async function open(fields: { name: string; description?: string; agentType?: string }): Promise<Team> {
    if (team !== null || isOpening) {
      throw new ToolError(
        `You lead the team ${team?.name ?? ''} already. Remove it with TeamDelete, or go on with it.`,
      );
    }
    isOpening = true;
    try {
      const { agentType: leadAgentType, ...named } = fields;
      const lead = leadAgentType === undefined ? {} : { leadAgentType };
      team = await createTeam({
        ...named,
        ...lead,
        home,
        files,
        port,
        cwd,
        leadSessionId,
        leadModel: options.leadModel(),
      });
      return team;
    } finally {
      isOpening = false;
    }
  }

  async function send(sender: string, message: TeamMessage): Promise<SendMessageOutput> {
    if (team !== null && (isInside(team, message) || message.type !== 'message')) return team.send(sender, message);
    if (message.type !== 'message') throw new ToolError('There is no team. TeamCreate starts one.');
    const { recipient, content, summary } = message;
    const about = summary === undefined ? {} : { summary };
    if (await options.sendToAgent(recipient, { from: sender, content, ...about })) {
      const routing = { sender, target: `@${recipient}`, ...about, content };
      return { success: true, message: `Message sent to ${recipient}.`, routing };
    }
    if (team !== null) return team.send(sender, message); // which says who there is
    throw new ToolError(`There is no agent named ${JSON.stringify(recipient)} in this session, and no team.`);
  }

  return {
    team: () => team,
    async restore() {
      const name = await findTeam({ home, files, leadSessionId, log: port.runtime.log });
      team = name === null ? null : await restoreTeam({ home, files, port, name });
      return team;
    },
    port: (sender) => ({
      async create(fields) {
        if (sender !== LEADER) throw new ToolError('You are in a team: only the one who leads the session starts one.');
        const { name, file } = await open(fields);
        return { team_name: name, team_file_path: file, lead_agent_id: leadAgentIdOf(name) };
      },
      async delete(signal) {
        if (sender !== LEADER) throw new ToolError(`Only ${LEADER} can remove the team.`);
        if (team === null) throw new ToolError('There is no team to remove.');
        const { name } = team;
        const message = await team.delete(signal);
        team = null;
        return { success: true, message, team_name: name };
      },
      send: (message) => send(sender, message),
    }),
    close: async () => team?.close(),
  };
}

function isInside(team: Team, message: TeamMessage): boolean {
  if (!('recipient' in message)) return true;
  return [LEADER, '*', ...team.members().map(({ name }) => name)].includes(message.recipient);
}
