import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { CallView, TaskBlock } from './blocks.ts';
import { numberField, objectsIn, sumOf, textField, uuidsOf } from './line-fields.ts';
import type { TaskView, TeamView } from './view.ts';

/** The tasks that run, by the lines about them. */
export class TaskList {
  readonly tasks: TaskView[] = [];

  started(line: JsonObject, now: number): void {
    this.#remove(idOf(line, 0));
    this.tasks.push(taskOf(line, { now, isBackground: line.is_backgrounded === true, at: 0 }));
  }

  progress(line: JsonObject): TaskView | undefined {
    const task = this.#find(idOf(line, 0));
    if (!task) return undefined;
    noteUsage(task, line.usage);
    task.lastTool = stringField(line, 'last_tool_name') ?? task.lastTool;
    task.summary = stringField(line, 'summary') ?? task.summary;
    return task;
  }

  updated(line: JsonObject): void {
    const { patch } = line;
    const task = this.#find(idOf(line, 0));
    if (!task || !isObject(patch)) return;
    noteUsage(task, line.usage);
    task.description = stringField(patch, 'description') ?? task.description;
    if (typeof patch.is_backgrounded === 'boolean') task.isBackground = patch.is_backgrounded;
    if (ENDED.has(textField(patch, 'status'))) this.#remove(task.id);
  }

  /** The list replaces what was known of tasks in the background. */
  changed(line: JsonObject, now: number): void {
    const listed = objectsIn(line, 'tasks').map((task, at) => taskOf(task, { now, isBackground: true, at }));
    const ids = new Set(listed.map(({ id }) => id));
    for (const { id, isBackground } of [...this.tasks]) if (isBackground && !ids.has(id)) this.#remove(id);
    for (const task of listed) {
      const known = this.#find(task.id);
      if (known) known.isBackground = true;
      else this.tasks.push(task);
    }
  }

  /** The end of a task. */
  ended(line: JsonObject, id: string): TaskBlock {
    const taskId = idOf(line, 0);
    this.#remove(taskId);
    const status = line.status === 'failed' || line.status === 'stopped' ? line.status : 'completed';
    const outputFile = stringField(line, 'output_file') ?? null;
    return { kind: 'task', id, uuids: uuidsOf(line), taskId, status, summary: textField(line, 'summary'), outputFile };
  }

  #find(id: string): TaskView | undefined {
    return this.tasks.find((task) => task.id === id);
  }

  #remove(id: string): void {
    const at = this.tasks.findIndex((task) => task.id === id);
    if (at >= 0) this.tasks.splice(at, 1);
  }
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'killed']);

function idOf(line: JsonObject, at: number): string {
  return stringField(line, 'task_id') ?? stringField(line, 'run_id') ?? `task ${at + 1}`;
}

function taskOf(line: JsonObject, { now, isBackground, at }: { now: number; isBackground: boolean; at: number }) {
  const task: TaskView = {
    id: idOf(line, at),
    type: textField(line, 'task_type'),
    description: textField(line, 'description'),
    agent: stringField(line, 'subagent_type') ?? null,
    callId: stringField(line, 'tool_use_id') ?? null,
    parentId: stringField(line, 'parent_task_id') ?? null,
    isBackground,
    startedAt: now,
    calls: 0,
    tokens: 0,
    costUsd: 0,
    lastTool: null,
    summary: '',
  };
  return task;
}

function noteUsage(task: TaskView, usage: unknown): void {
  if (!isObject(usage)) return;
  task.calls = numberField(usage, 'tool_uses') ?? task.calls;
  task.tokens = numberField(usage, 'total_tokens') ?? task.tokens;
  task.costUsd = numberField(usage, 'cost_usd') ?? task.costUsd;
}

/** The call that runs an agent tells what the agent has done. */
export function noteAgent(call: CallView | undefined, task: TaskView): void {
  if (!call) return;
  const { agent, calls, tokens, costUsd } = task;
  const kind = agent || call.agent?.kind || textField(call.input, 'subagent_type') || call.name;
  call.agent = { kind, last: call.agent?.last ?? null, calls, tokens, costUsd };
}

/** A line of an agent shows one of its calls. */
export function noteCallOfAgent(call: CallView | undefined, { name, subject }: CallView): void {
  if (!call) return;
  const { kind = textField(call.input, 'subagent_type'), calls = 0, tokens = 0, costUsd = 0 } = call.agent ?? {};
  call.agent = { kind, calls: calls + 1, last: { name, subject }, tokens, costUsd: sumOf({ costUsd }, 'costUsd') };
}

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
