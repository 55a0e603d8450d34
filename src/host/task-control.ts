import type { BackgroundTask } from '../tools/background-tasks.ts';
import { endOfFile } from '../util/end-of-file.ts';
import { stringField } from '../util/json.ts';
import type { TaskOutput } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';

/** The control requests about what runs beside the conversation. */

/** As much as is worth showing; the whole is in `output_file`. */
const MAX_OUTPUT_BYTES = 100_000;

/** `background_tasks`: the turn goes on, and so does the command that it has waited for. One call, or all. */
export function backgroundTasks({ toolSession }: Parts, request: ControlBody): { backgrounded: string[] } {
  return { backgrounded: toolSession.foreground.letGo(stringField(request, 'tool_use_id')) };
}

/** `stop_task`: also when it has just ended by itself, which comes to the same. */
export async function stopTask(parts: Parts, request: ControlBody): Promise<Record<string, never>> {
  const { id } = taskOf(parts, request);
  await parts.toolSession.backgroundTasks.stop(id, 'host');
  return {};
}

/** `get_task_output`: how a task is, and the end of what it has printed so far. */
export async function getTaskOutput(parts: Parts, request: ControlBody): Promise<TaskOutput> {
  const { id, type, description, status, exitCode, outputFile, outputSource } = taskOf(parts, request);
  const { text, isCut } = await endOfFile(outputSource ?? outputFile, MAX_OUTPUT_BYTES, 'refuse');
  return {
    task: { task_id: id, task_type: type, status, description, output: text, exitCode },
    output_file: outputFile,
    ...(isCut && { truncated: true }),
  };
}

function taskOf({ toolSession }: Parts, request: ControlBody): BackgroundTask {
  const id = stringField(request, 'task_id');
  if (id === undefined) throw invalidRequest('task_id', 'a string');
  const task = toolSession.backgroundTasks.get(id);
  if (task) return task;
  throw new ControlError(`No task of this session has the id ${id}`, 'unknown_task');
}
