import { firstWords } from '../../../admin/session-views.ts';
import { type ListedTask, listTasks } from '../../../admin/tasks.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { localTime } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, type Terminal, terminalOf } from '../../terminal/terminal.ts';
import type { TasksAction } from './tasks-action.ts';

const HELP = `Usage: heddle tasks list [--running] [--json] [--session SESSION] [--home DIR]

Lists what sessions have, or had, in the background, those that run first, then the newest: id,
state, time of start, kind, session, what it is about. States: running, completed, failed, killed;
lost where the process that ran it has ended without a word.

  --running           only those that run
  --session SESSION   only of that session: an id, the beginning of one, or a title
  --json              as JSON: an array of the records, each with its state
  --home DIR          of another config home; nothing is written there

Examples:
  heddle tasks list
  heddle tasks list --running --json
`;

export const list: TasksAction = {
  help: HELP,
  flags: { '--running': 'switch', '--json': 'switch' },
  async run(args, location) {
    takeWords(args.words, []);
    const tasks = listTasks(location).filter(({ state }) => !args.has('--running') || state === 'running');
    if (args.has('--json')) printJson(tasks);
    else printLines(tasks.map((task) => lineOf(task, terminalOf(process.stdout, process.env))));
    if (tasks.length === 0 && !args.has('--json')) printRemark(`there are no tasks in ${location.home}`);
    return 0;
  },
};

function lineOf(task: ListedTask, terminal: Terminal): string {
  const { paint, width, isTerminal } = terminal;
  const session = isTerminal ? task.session_id.slice(0, 8) : task.session_id;
  const details = [localTime(task.started_at), printable(kindOf(task)).padEnd(KIND_WIDTH), session].join('  ');
  const left = `${task.task_id}  ${task.state.padEnd(STATE_WIDTH)}  ${details}  `;
  const words = firstWords(task.description, Math.max(20, width - left.length));
  return `${paint.cyan(task.task_id)}  ${paintedState(task, terminal)}  ${paint.dim(details)}  ${words}`;
}

const STATE_WIDTH = 9;
const KIND_WIDTH = 16;

/** The word for the state, in colour. */
export function paintedState({ state }: ListedTask, { paint }: Terminal, width = STATE_WIDTH): string {
  const word = state.padEnd(width);
  switch (state) {
    case 'running':
      return paint.yellow(word);
    case 'completed':
      return paint.green(word);
    case 'failed':
    case 'killed':
    case 'lost':
      return paint.red(word);
    default:
      return state satisfies never;
  }
}

/** `command`, `detached command`, or the kind of agent. */
export function kindOf({ subagent_type, detached }: ListedTask): string {
  return subagent_type ?? (detached ? 'detached command' : 'command');
}
