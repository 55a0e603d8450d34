/** The state of a teammate. In `working`, `asked` and `leaving` one of its turns runs, or begins at once. */
export type MemberState = 'starting' | 'working' | 'asked' | 'idle' | 'leaving' | 'stopped' | 'crashed';

export type MemberEvent =
  | 'turn'
  | 'asked'
  | 'rejected'
  | 'approved'
  | 'done'
  | 'left'
  | 'crashed'
  | 'aborted'
  | 'resumed'
  | 'restored';

export type TeamState = 'open' | 'ending' | 'told' | 'deleted';

export type TeamEvent = 'input' | 'input-ended' | 'told' | 'deleted' | 'restored';

export interface Transition<State, Event> {
  from: State;
  on: Event;
  to: State;
  /** The meaning, for the table in docs/teams.md. */
  why: string;
}

/** All transitions of a teammate; no others are possible. Printed in docs/teams.md. */
export const MEMBER_TRANSITIONS: readonly Transition<MemberState, MemberEvent>[] = [
  { from: 'starting', on: 'turn', to: 'working', why: 'the first turn begins' },
  { from: 'starting', on: 'asked', to: 'asked', why: 'the first turn begins, with a shutdown request in its mail' },
  { from: 'starting', on: 'crashed', to: 'crashed', why: 'it cannot start' },
  { from: 'starting', on: 'aborted', to: 'stopped', why: 'it is stopped' },
  { from: 'starting', on: 'restored', to: 'starting', why: 'its first mail is still unread' },

  { from: 'working', on: 'turn', to: 'working', why: 'more mail has come, or a hook makes it continue' },
  { from: 'working', on: 'asked', to: 'asked', why: 'the next turn begins with a shutdown request' },
  { from: 'working', on: 'done', to: 'idle', why: 'the turn is over and no mail is left' },
  { from: 'working', on: 'crashed', to: 'crashed', why: 'the turn failed; the leader gets a report' },
  { from: 'working', on: 'aborted', to: 'stopped', why: 'it is stopped; the leader gets a report' },
  { from: 'working', on: 'restored', to: 'crashed', why: 'its process died in the middle of a turn' },

  { from: 'asked', on: 'asked', to: 'asked', why: 'the next turn begins and it still owes an answer' },
  { from: 'asked', on: 'approved', to: 'leaving', why: 'it agrees to shut down' },
  { from: 'asked', on: 'rejected', to: 'working', why: 'it continues, and gives the reason' },
  { from: 'asked', on: 'done', to: 'idle', why: 'the turn is over without an answer, which it may still give' },
  { from: 'asked', on: 'crashed', to: 'crashed', why: 'the turn failed; the leader gets a report' },
  { from: 'asked', on: 'aborted', to: 'stopped', why: 'it is stopped; the leader gets a report' },
  { from: 'asked', on: 'restored', to: 'crashed', why: 'its process died in the middle of a turn' },

  { from: 'idle', on: 'turn', to: 'working', why: 'mail has come' },
  { from: 'idle', on: 'asked', to: 'asked', why: 'mail has come, and a shutdown request is not answered yet' },
  { from: 'idle', on: 'crashed', to: 'crashed', why: 'its mail cannot be read' },
  { from: 'idle', on: 'aborted', to: 'stopped', why: 'it is stopped; the leader gets a report' },
  { from: 'idle', on: 'restored', to: 'idle', why: 'it waits for mail again' },

  { from: 'leaving', on: 'turn', to: 'leaving', why: 'mail that came before it agreed is still read' },
  { from: 'leaving', on: 'left', to: 'stopped', why: 'the turn is over and no mail is left' },
  { from: 'leaving', on: 'crashed', to: 'stopped', why: 'the turn failed, but it was leaving anyway' },
  { from: 'leaving', on: 'aborted', to: 'stopped', why: 'it is stopped' },
  { from: 'leaving', on: 'restored', to: 'leaving', why: 'it reads what is left, and leaves' },

  { from: 'stopped', on: 'resumed', to: 'starting', why: 'it continues with its old transcript' },
  { from: 'stopped', on: 'restored', to: 'stopped', why: 'it stays stopped' },

  { from: 'crashed', on: 'resumed', to: 'starting', why: 'it continues with its old transcript' },
  { from: 'crashed', on: 'restored', to: 'crashed', why: 'it stays crashed until it is resumed' },
];

/** All transitions of the team as a whole. */
export const TEAM_TRANSITIONS: readonly Transition<TeamState, TeamEvent>[] = [
  { from: 'open', on: 'input', to: 'open', why: 'the user sends a message' },
  { from: 'open', on: 'input-ended', to: 'ending', why: 'no more messages come; teammates continue' },
  { from: 'open', on: 'restored', to: 'open', why: 'a new process continues' },
  { from: 'open', on: 'deleted', to: 'deleted', why: 'the leader removes the team' },

  { from: 'ending', on: 'input', to: 'open', why: 'the user continues' },
  { from: 'ending', on: 'input-ended', to: 'ending', why: 'the end of input is announced again' },
  {
    from: 'ending',
    on: 'told',
    to: 'told',
    why: 'all are idle and no mail is left: the leader should shut the team down',
  },
  { from: 'ending', on: 'restored', to: 'open', why: 'the new process decides whether input has ended' },
  { from: 'ending', on: 'deleted', to: 'deleted', why: 'the leader removes the team' },

  { from: 'told', on: 'input', to: 'open', why: 'the user continues, and so may the team' },
  { from: 'told', on: 'input-ended', to: 'told', why: 'the leader gets this request only once' },
  { from: 'told', on: 'restored', to: 'told', why: 'the leader gets this request only once' },
  { from: 'told', on: 'deleted', to: 'deleted', why: 'the leader removes the team' },
];

/** The state after the event; null when it cannot happen in this state. */
export function nextMember(state: MemberState, event: MemberEvent): MemberState | null {
  return next(MEMBER_TRANSITIONS, state, event);
}

export function nextTeam(state: TeamState, event: TeamEvent): TeamState | null {
  return next(TEAM_TRANSITIONS, state, event);
}

/** True when it never runs again by itself. */
export function hasEnded(state: MemberState): boolean {
  return state === 'stopped' || state === 'crashed';
}

/** True when a turn runs or is about to. */
export function isActive(state: MemberState): boolean {
  return state !== 'idle' && !hasEnded(state);
}

export function isMemberState(value: unknown): value is MemberState {
  return MEMBER_TRANSITIONS.some(({ from }) => from === value);
}

export function isTeamState(value: unknown): value is TeamState {
  return value === 'deleted' || TEAM_TRANSITIONS.some(({ from }) => from === value);
}

function next<State, Event>(table: readonly Transition<State, Event>[], state: State, event: Event): State | null {
  return table.find((each) => each.from === state && each.on === event)?.to ?? null;
}
