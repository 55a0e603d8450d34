import type { BackgroundTask, BackgroundTasks } from '../../tools/background/background-tasks.ts';
import { shellPort } from '../../tools/shell/shell-port.ts';
import { endOfFile } from '../../util/files/end-of-file.ts';
import { stringField } from '../../util/json.ts';
import type { TaskOutput } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The control requests about background tasks. */

/** Longer output is cut; the whole is in `output_file`. */
const MAX_OUTPUT_BYTES = 100_000;

/** `background_tasks`: moves one command that the turn waits for to the background, or all of them. */
export function backgroundTasks({ main }: ControlContext, request: ControlBody): { backgrounded: string[] } {
  return { backgrounded: main.service(shellPort).foreground.letGo(stringField(request, 'tool_use_id')) };
}

/** `stop_task`. A task that has just ended by itself counts as stopped. */
export async function stopTask({ services }: ControlContext, request: ControlBody): Promise<Record<string, never>> {
  const { tasks } = services.background;
  const { id } = taskOf(tasks, request);
  await tasks.stop(id, 'host');
  return {};
}

/** `get_task_output`: the status of a task, and the end of its output so far. */
export async function getTaskOutput({ services }: ControlContext, request: ControlBody): Promise<TaskOutput> {
  const { id, type, description, status, exitCode, outputFile, outputSource } = taskOf(
    services.background.tasks,
    request,
  );
  const { text, isCut } = await endOfFile(outputSource ?? outputFile, MAX_OUTPUT_BYTES, 'refuse');
  return {
    task: { task_id: id, task_type: type, status, description, output: text, exitCode },
    output_file: outputFile,
    ...(isCut && { truncated: true }),
  };
}

function taskOf(tasks: BackgroundTasks, request: ControlBody): BackgroundTask {
  const id = stringField(request, 'task_id');
  if (id === undefined) throw invalidRequest('task_id', 'a string');
  const task = tasks.get(id);
  if (task) return task;
  throw new ControlError(`No task of this session has the id ${id}`, 'unknown_task');
}
