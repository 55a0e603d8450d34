import { join } from 'node:path';
import { ToolError } from '../../tools/tool.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import type { TeamFiles } from './locked-files.ts';
import { LEADER } from './mail.ts';
import { nameProblem } from './member.ts';
import { leadAgentIdOf, recordFromText, recordToText, type TeamRecord, teamDirOf, teamFileOf } from './roster.ts';
import { startTeam, type Team, type TeamParts } from './team.ts';

export interface TeamOptions extends TeamParts {
  name: string;
  description?: string;
  leadSessionId: string;
  leadModel: string;
  leadAgentType?: string;
  cwd: string;
}

/**
 * Creates a team and resolves when it is on disk. When another team, perhaps of a past session, has the name, a number
 * is appended.
 */
export async function createTeam(options: TeamOptions): Promise<Team> {
  const problem = nameProblem(options.name);
  if (problem !== null) throw new ToolError(`${JSON.stringify(options.name)} cannot be the name of a team. ${problem}`);
  for (let count = 1; ; count++) {
    const record = newRecord(options, count === 1 ? options.name : `${options.name}-${count}`);
    if (await isFirst(record, options)) return startTeam(record, options).team;
  }
}

/**
 * The team as its last process left it; null when that one was about to remove it. Rejects with `storage_failed` when
 * its file cannot be understood.
 */
export async function restoreTeam({ name, ...parts }: TeamParts & { name: string }): Promise<Team | null> {
  const path = teamFileOf(parts.home, name);
  const record = recordFromText((await parts.files.read(path)) ?? '', path);
  if (record.state === 'deleted') {
    await parts.files.remove(teamDirOf(parts.home, name));
    return null;
  }
  const { team, restore } = startTeam({ ...record, name }, parts);
  await restore();
  return team;
}

/** The name of the team that a session leads, or null. A team file that cannot be read is logged and left alone. */
export async function findTeam({
  home,
  files,
  leadSessionId,
  log,
}: {
  home: string;
  files: TeamFiles;
  leadSessionId: string;
  log: Logger;
}): Promise<string | null> {
  for (const name of await files.list(join(home, 'teams'))) {
    if (nameProblem(name) !== null) continue;
    const path = teamFileOf(home, name);
    try {
      const text = await files.read(path);
      if (text !== null && recordFromText(text, path).leadSessionId === leadSessionId) return name;
    } catch (error) {
      log('warn', messageOf(error));
    }
  }
  return null;
}

function newRecord(options: TeamOptions, name: string): TeamRecord {
  const now = options.port.runtime.clock.now();
  return {
    name,
    description: options.description ?? '',
    createdAt: now,
    leadSessionId: options.leadSessionId,
    leader: {
      agentId: leadAgentIdOf(name),
      name: LEADER,
      agentType: options.leadAgentType ?? LEADER,
      model: options.leadModel,
      joinedAt: now,
      tmuxPaneId: '',
      cwd: options.cwd,
      subscriptions: [],
    },
    members: [],
    state: 'open',
    episode: 0,
  };
}

async function isFirst(record: TeamRecord, { home, files }: TeamParts): Promise<boolean> {
  let isNew = false;
  await files.change(teamFileOf(home, record.name), (text) => {
    isNew = text === null;
    return isNew ? recordToText(record) : null;
  });
  return isNew;
}
