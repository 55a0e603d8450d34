import { stopStoredTask } from '../../../admin/stop-task.ts';
import { findTask, type ListedTask } from '../../../admin/tasks.ts';
import { missingWord } from '../../flags/command-args.ts';
import { printJson, printLines, printRemark } from '../../terminal/terminal.ts';
import { countFlag } from '../sessions-location.ts';
import type { TasksAction } from './tasks-action.ts';

const HELP = `Usage: heddle tasks stop [--wait SECONDS] [--json] [--session SESSION] [--home DIR] TASK…

Ends tasks with all that they have started, and says so when they have ended. The process that runs
a task is asked to end it; where it is gone, or does not answer, the processes of a command are
ended from here. A process that has got the number of another is never touched.

  --wait SECONDS      how long that process may take to answer (default 10)
  --session SESSION   of that session, where several have a task of that id
  --json              as JSON: an array with task_id, outcome (stopped, not_running, not_stopped)
                      and, where not, reason
  --home DIR          of another config home

Examples:
  heddle tasks stop b1f3a2
  heddle tasks stop --wait 2 b1f3a2 b77c01

Exit codes: 0 none of them runs any more, 1 at least one was not seen to end.
`;

interface StopReport {
  task_id: string;
  outcome: 'stopped' | 'not_running' | 'not_stopped';
  reason?: string;
}

export const stop: TasksAction = {
  help: HELP,
  flags: { '--wait': 'text', '--json': 'switch' },
  async run(args, location) {
    if (args.words.length === 0) throw missingWord('TASK');
    const patienceMs = countFlag(args, '--wait', 10) * 1000;
    // All names are looked up first, so that a mistyped one stops the command before any change.
    const tasks = args.words.map((name) => findTask(name, location));
    const report = await Promise.all(tasks.map((task) => stopOne(task, patienceMs)));
    if (args.has('--json')) printJson(report);
    else for (const each of report) printReport(each);
    return report.some(({ outcome }) => outcome === 'not_stopped') ? 1 : 0;
  },
};

async function stopOne(task: ListedTask, patienceMs: number): Promise<StopReport> {
  const { task_id, state } = task;
  if (state !== 'running') return { task_id, outcome: 'not_running', reason: `its state is ${state}` };
  const outcome = await stopStoredTask(task, { patienceMs, now: () => Date.now() });
  if (outcome.kind === 'stopped') return { task_id, outcome: 'stopped' };
  return { task_id, outcome: 'not_stopped', reason: outcome.reason };
}

function printReport({ task_id, outcome, reason }: StopReport): void {
  if (outcome === 'stopped') printLines([`${task_id} was stopped`]);
  else if (outcome === 'not_running') printLines([`${task_id} does not run: ${reason}`]);
  else printRemark(`${task_id} was not stopped: ${reason}`);
}
