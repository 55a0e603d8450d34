import { stopStoredTask } from '../../host/stop-stored-task.ts';
import { findTask, type ListedTask } from '../../host/stored-tasks.ts';
import { missingWord } from '../command-args.ts';
import { countFlag } from './sessions-place.ts';
import type { TasksAction } from './tasks.ts';
import { sayJson, sayLines, tell } from './terminal.ts';

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

interface Told {
  task_id: string;
  outcome: 'stopped' | 'not_running' | 'not_stopped';
  reason?: string;
}

export const stop: TasksAction = {
  help: HELP,
  flags: { '--wait': 'text', '--json': 'switch' },
  async run(args, place) {
    if (args.words.length === 0) throw missingWord('TASK');
    const patienceMs = countFlag(args, '--wait', 10) * 1000;
    // All names are looked up first: a mistyped one should not be noticed when half of them are stopped.
    const tasks = args.words.map((name) => findTask(name, place));
    const told = await Promise.all(tasks.map((task) => stopOne(task, patienceMs)));
    if (args.has('--json')) sayJson(told);
    else for (const each of told) say(each);
    return told.some(({ outcome }) => outcome === 'not_stopped') ? 1 : 0;
  },
};

async function stopOne(task: ListedTask, patienceMs: number): Promise<Told> {
  const { task_id, state } = task;
  if (state !== 'running') return { task_id, outcome: 'not_running', reason: `its state is ${state}` };
  const outcome = await stopStoredTask(task, { patienceMs, now: () => Date.now() });
  if (outcome.kind === 'stopped') return { task_id, outcome: 'stopped' };
  return { task_id, outcome: 'not_stopped', reason: outcome.reason };
}

function say({ task_id, outcome, reason }: Told): void {
  if (outcome === 'stopped') sayLines([`${task_id} was stopped`]);
  else if (outcome === 'not_running') sayLines([`${task_id} does not run: ${reason}`]);
  else tell(`${task_id} was not stopped: ${reason}`);
}
