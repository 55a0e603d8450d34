import { isObject, type JsonObject } from '../util/json.ts';
import { textField } from './line-fields.ts';
import type { TaskView, TeamView } from './view.ts';

/** The team of a session after a call: the tools that make and end teams tell of it in their results. */
export function teamAfter(team: TeamView | null, { name, input }: { name: string; input: JsonObject }, data: unknown) {
  if (!isObject(data)) return team;
  if (name === 'TeamDelete') return data.success === false ? team : null;
  if (name === 'TeamCreate')
    return { name: textField(data, 'team_name') || textField(input, 'team_name'), members: [] };
  if (data.status !== 'teammate_spawned') return team;
  const id = textField(data, 'agent_id');
  const member = { id, name: textField(data, 'name'), agent: textField(data, 'agent_type'), isWorking: true };
  const others = (team?.members ?? []).filter((each) => each.id !== id);
  return { name: team?.name ?? textField(data, 'team_name'), members: [...others, member] };
}

/** A teammate works as long as its task runs. */
export function withStates(team: TeamView | null, tasks: readonly TaskView[]): TeamView | null {
  if (!team) return null;
  const works = (id: string) => tasks.some((task) => task.id === id);
  if (team.members.every(({ id, isWorking }) => isWorking === works(id))) return team;
  return { ...team, members: team.members.map((member) => ({ ...member, isWorking: works(member.id) })) };
}
