import { join } from 'node:path';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { TeamFiles } from './locked-files.ts';
import { LEADER } from './mail.ts';
import { type Member, memberFromJson, memberToJson } from './member.ts';
import {
  isTeamState,
  type MemberEvent,
  type MemberState,
  nextMember,
  nextTeam,
  type TeamEvent,
  type TeamState,
} from './states.ts';

/** The content of a team's `config.json`. */
export interface TeamRecord {
  name: string;
  description: string;
  createdAt: number;
  leadSessionId: string;
  /** The leader's entry among the members. */
  leader: JsonObject;
  members: readonly Member[];
  state: TeamState;
  /**
   * Counts the user's messages: after each one the leader may be asked again to shut down the team. It counts every
   * message, because the process may have died right after it posted the request.
   */
  episode: number;
}

/**
 * The members of the team and their states. A change holds in memory at once, and its promise resolves when it is on
 * disk. Rejects for an event that the tables of states.ts do not allow, which is a bug.
 */
export interface Roster {
  record(): TeamRecord;
  find(name: string): Member | undefined;
  get(name: string): Member;
  add(member: Member): Promise<void>;
  /** Resolves when everything that holds in memory now is on disk. */
  saved(): Promise<void>;
  move(name: string, event: MemberEvent, changes?: Partial<Omit<Member, 'name' | 'state'>>): Promise<void>;
  moveTeam(event: TeamEvent): Promise<void>;
}

export function createRoster(start: TeamRecord, { files, path }: { files: TeamFiles; path: string }): Roster {
  let record = start;
  const inTurn = oneAtATime();
  // Each write takes the current record, so that an older one never follows a newer.
  const save = () => inTurn(() => files.change(path, () => recordToText(record)));
  const find = (name: string) => record.members.find((each) => each.name === name);
  const get = (name: string) => find(name) ?? missing(name);
  return {
    record: () => record,
    find,
    get,
    add(member) {
      record = { ...record, members: [...record.members, member] };
      return save();
    },
    saved: () => inTurn(async () => {}),
    async move(name, event, changes = {}) {
      const before = get(name);
      const state = nextMember(before.state, event) ?? impossible(name, before.state, event);
      const after: Member = { ...before, ...changes, state };
      record = { ...record, members: record.members.map((each) => (each.name === name ? after : each)) };
      await save();
    },
    async moveTeam(event) {
      const before = record;
      const state = nextTeam(before.state, event) ?? impossible(before.name, before.state, event);
      const episode = event === 'input' ? before.episode + 1 : before.episode;
      if (state === before.state && episode === before.episode) return;
      record = { ...before, state, episode };
      await save();
    },
  };
}

export function teamDirOf(home: string, name: string): string {
  return join(home, 'teams', name);
}

export function teamFileOf(home: string, name: string): string {
  return join(teamDirOf(home, name), 'config.json');
}

export function leadAgentIdOf(team: string): string {
  return `${LEADER}@${team}`;
}

export function recordToText({ leader, members, leadSessionId, state, episode, ...record }: TeamRecord): string {
  const file = {
    ...record,
    leadAgentId: leadAgentIdOf(record.name),
    leadSessionId,
    members: [leader, ...members.map(memberToJson)],
    state,
    episode,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Throws `storage_failed` when the text is not a team record. */
export function recordFromText(text: string, path: string): TeamRecord {
  const file = tryParseJson(text);
  const name = stringField(file, 'name');
  if (!isObject(file) || name === undefined || !Array.isArray(file.members)) {
    throw new HeddleError('storage_failed', `${path} does not describe a team. Nothing of it was changed.`);
  }
  const leader = file.members.find((each) => stringField(each, 'name') === LEADER);
  return {
    name,
    description: stringField(file, 'description') ?? '',
    createdAt: Number(file.createdAt) || 0,
    leadSessionId: stringField(file, 'leadSessionId') ?? '',
    leader: isObject(leader) ? leader : { agentId: leadAgentIdOf(name), name: LEADER },
    members: file.members.map(memberFromJson).filter((each) => each !== null),
    state: isTeamState(file.state) ? file.state : 'open',
    episode: Number(file.episode) || 0,
  };
}

function missing(name: string): never {
  throw new Error(`There is no teammate ${name}.`);
}

function impossible(name: string, state: MemberState | TeamState, event: MemberEvent | TeamEvent): never {
  throw new Error(`${name} is ${state}: ${event} cannot happen now.`);
}
