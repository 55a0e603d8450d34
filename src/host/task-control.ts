import { open } from 'node:fs/promises';
import type { BackgroundShell } from '../tools/background-shells.ts';
import { stringField } from '../util/json.ts';
import type { TaskOutput } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import type { Parts } from './assemble.ts';
import { invalidRequest } from './invalid-request.ts';

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
  await parts.toolSession.backgroundShells.stop(id);
  return {};
}

/** `get_task_output`: how a task is, and the end of what it has printed so far. */
export async function getTaskOutput(parts: Parts, request: ControlBody): Promise<TaskOutput> {
  const { id, command, description, status, exitCode, outputFile } = taskOf(parts, request);
  const { text, isCut } = await endOf(outputFile);
  return {
    task: {
      task_id: id,
      task_type: 'local_bash',
      status,
      description: description ?? command,
      output: text,
      exitCode,
    },
    output_file: outputFile,
    ...(isCut && { truncated: true }),
  };
}

function taskOf({ toolSession }: Parts, request: ControlBody): BackgroundShell {
  const id = stringField(request, 'task_id');
  if (id === undefined) throw invalidRequest('task_id', 'a string');
  const task = toolSession.backgroundShells.get(id);
  if (task) return task;
  throw new ControlError(`No task of this session has the id ${id}`, 'unknown_task');
}

async function endOf(path: string): Promise<{ text: string; isCut: boolean }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_OUTPUT_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return { text: buffer.subarray(0, bytesRead).toString('utf8'), isCut: from > 0 };
  } finally {
    await file.close();
  }
}
