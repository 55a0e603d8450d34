import { plural } from '../rows/blocks/amounts.ts';
import { todoRow } from '../rows/blocks/block-to-rows.ts';
import { textOfRow } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import { TaskPicker } from '../tasks/task-picker.ts';

/** What runs besides the conversation, and what it works on. */
export const TASK_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'tasks',
    argumentHint: '[stop]',
    description: 'Agents and commands that run: follow, stop, move to the background',
    run: tasks,
    values: async () => [{ value: 'stop', detail: 'stops all agents' }],
  },
  { name: 'background', description: 'Move what the turn waits for to the background', run: background },
  { name: 'todos', description: 'The todo list', run: todos },
  { name: 'agents', description: 'The kinds of agents', run: agents },
  { name: 'team', description: 'The teammates', run: team },
];

async function tasks(argument: string, stage: Stage): Promise<string[]> {
  if (argument === 'stop') return stopAgents(stage);
  if (argument !== '') throw new Error('write /tasks, or /tasks stop');
  if (stage.tracker.view.tasks.length === 0) return ['No task runs.'];
  stage.pick(new TaskPicker(stage));
  return [];
}

/** The turn continues without them. */
async function stopAgents(stage: Stage): Promise<string[]> {
  const agents = stage.tracker.view.tasks.filter(({ agent }) => agent !== null);
  const stopped = await Promise.allSettled(agents.map(({ id }) => stage.call({ subtype: 'stop_task', task_id: id })));
  const count = stopped.filter(({ status }) => status === 'fulfilled').length;
  return [agents.length === 0 ? 'No agent runs.' : `${plural(count, 'agent')} stopped.`];
}

async function background(_argument: string, stage: Stage): Promise<string[]> {
  const { backgrounded } = await stage.call({ subtype: 'background_tasks' });
  const count = Array.isArray(backgrounded) ? backgrounded.length : 0;
  stage.notify(count > 0 ? 'It continues in the background: /tasks shows it.' : 'Nothing runs that can.');
  return [];
}

function todos(_argument: string, { tracker, context }: Stage): string[] {
  const { todos: all } = tracker.view;
  return all.length === 0 ? ['There are no todos.'] : all.map((todo) => textOfRow(todoRow(todo, context)));
}

function agents(_argument: string, { tracker }: Stage): string[] {
  const { agents: kinds } = tracker.view.info;
  return kinds.length === 0 ? ['The session tells its kinds of agents with the first prompt.'] : [...kinds];
}

function team(_argument: string, { tracker }: Stage): string[] {
  const { team: now } = tracker.view;
  if (!now) return ['There is no team.'];
  const members = now.members.map(
    ({ name, agent, isWorking }) =>
      `  ${isWorking ? '\u25d0' : '\u25cb'} ${name} (${agent}) \u00b7 ${isWorking ? 'works' : 'waits'}`,
  );
  return [`Team ${now.name}`, ...(members.length === 0 ? ['  nobody yet'] : members)];
}
