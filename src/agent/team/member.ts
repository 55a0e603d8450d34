import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { LEADER, RUNTIME } from './mail.ts';
import { isMemberState, type MemberState } from './states.ts';

/** A teammate. Immutable: a change makes a new object. */
export interface Member {
  /** `name@team` */
  agentId: string;
  name: string;
  agentType: string;
  model: string;
  prompt: string;
  color: string;
  planModeRequired: boolean;
  /** A permission mode that narrows that of the leader. */
  mode?: string;
  joinedAt: number;
  cwd: string;
  /** Whatever the host needs to find its transcript again. */
  transcriptId?: string;
  state: MemberState;
  /** The id of its last turn. Reports about the turn get their id from it, so that no report comes twice. */
  turnId: string;
  /** Shutdown requests that it has read and not answered. */
  requests: readonly string[];
  /** The reason of its end, unless it agreed to stop. */
  trouble?: string;
}

export const LEADER_COLOR = 'red';
const COLORS = ['blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] as const;

export function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? COLORS[0];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * The reason why a name is not valid for a team or a teammate, whose name becomes a file name; null for a valid name.
 */
export function nameProblem(name: string): string | null {
  if (!NAME.test(name)) return 'It may hold letters, digits, _ and -, at most 64, and begins with a letter or digit.';
  const isTaken = [LEADER, RUNTIME].includes(name.toLowerCase());
  return isTaken ? 'That name is taken by the leader or the runtime.' : null;
}

/** The member in the form of the team's file (wire.md 9.4). */
export function memberToJson({ state, turnId, requests, trouble, transcriptId, ...member }: Member): JsonObject {
  return {
    ...member,
    tmuxPaneId: 'in-process',
    subscriptions: [],
    backendType: 'in-process',
    state,
    turnId,
    ...(requests.length > 0 ? { requests } : {}),
    ...(trouble === undefined ? {} : { trouble }),
    ...(transcriptId === undefined ? {} : { transcriptId }),
  };
}

/** Null for an entry that is not a teammate of Heddle: the leader, or one that another program added. */
export function memberFromJson(value: unknown): Member | null {
  const text = (key: string) => stringField(value, key);
  const [agentId, name] = [text('agentId'), text('name')];
  if (!isObject(value) || agentId === undefined || name === undefined || !isMemberState(value.state)) return null;
  if (nameProblem(name) !== null) return null;
  const [trouble, transcriptId, mode] = [text('trouble'), text('transcriptId'), text('mode')];
  return {
    agentId,
    name,
    agentType: text('agentType') ?? '',
    model: text('model') ?? '',
    prompt: text('prompt') ?? '',
    color: text('color') ?? colorOf(0),
    planModeRequired: value.planModeRequired === true,
    ...(mode === undefined ? {} : { mode }),
    joinedAt: Number(value.joinedAt) || 0,
    cwd: text('cwd') ?? '',
    state: value.state,
    turnId: text('turnId') ?? '',
    requests: Array.isArray(value.requests) ? value.requests.filter((each) => typeof each === 'string') : [],
    ...(trouble === undefined ? {} : { trouble }),
    ...(transcriptId === undefined ? {} : { transcriptId }),
  };
}
