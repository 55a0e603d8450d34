import { findTask, type ListedTask } from '../../../admin/tasks.ts';
import { endOfFile } from '../../../util/files/end-of-file.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { columns } from '../../terminal/show-value.ts';
import { printJson, printLines, type Terminal, terminalOf } from '../../terminal/terminal.ts';
import { kindOf, paintedState } from './list-tasks.ts';
import type { TasksAction } from './tasks-action.ts';

const HELP = `Usage: heddle tasks show [--json] [--session SESSION] [--home DIR] TASK

Shows a task, and the end of what it has printed; of an agent, what it said last.

  --session SESSION   of that session, where several have a task of that id
  --json              as JSON: the record with its state, output (its end) and output_truncated
  --home DIR          of another config home; nothing is written there

Examples:
  heddle tasks show b1f3a2
  heddle tasks show --json --session 3f2a91c0 b1f3a2
`;

const MAX_OUTPUT_BYTES = 4000;

export const show: TasksAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  async run(args, location) {
    const [name = ''] = takeWords(args.words, ['TASK']);
    const task = findTask(name, location);
    const { text, isCut } = await outputOf(task);
    if (args.has('--json')) printJson({ ...task, output: text, output_truncated: isCut });
    else printLines([...factLines(task, terminalOf(process.stdout, process.env)), '', ...outputLines(text, isCut)]);
    return 0;
  },
};

/** The output file of an agent is its transcript, which is for programs. */
async function outputOf({ subagent_type, result, output_file }: ListedTask): Promise<{ text: string; isCut: boolean }> {
  if (subagent_type !== undefined) return { text: result ?? '', isCut: false };
  return endOfFile(output_file, MAX_OUTPUT_BYTES).catch(() => ({ text: '', isCut: false }));
}

function factLines(task: ListedTask, terminal: Terminal): string[] {
  const { usage, owner, process, command, exit_code } = task;
  const code = exit_code === null ? '' : ` (exit code ${exit_code})`;
  const rows: [string, string][] = [
    ['task', task.task_id],
    ['state', `${paintedState(task, terminal, 0)}${code}`],
    ['kind', kindOf(task)],
    ['about', printable(task.description)],
    ...(command === undefined ? [] : [['command', printable(command)] as [string, string]]),
    ['session', task.session_id],
    ['directory', printable(task.cwd)],
    ['started', new Date(task.started_at).toISOString()],
    ...(task.ended_at === null ? [] : [['ended', new Date(task.ended_at).toISOString()] as [string, string]]),
    ...(usage ? [['usage', usageText(usage)] as [string, string]] : []),
    ['process', process ? `${process.pid} of ${owner.pid} on ${owner.host}` : `${owner.pid} on ${owner.host}`],
    ['output', printable(task.output_file)],
  ];
  return columns(rows, terminal);
}

function usageText({ tool_uses, total_tokens, cost_usd }: NonNullable<ListedTask['usage']>): string {
  return `${tool_uses} tool uses, ${total_tokens} tokens, $${cost_usd.toFixed(4)}`;
}

/** The output of a command may contain anything, including terminal control codes. */
function outputLines(text: string, isCut: boolean): string[] {
  const lines = text.trimEnd().split('\n').map(printable);
  return isCut ? [`… (only the end)`, ...lines] : lines;
}
