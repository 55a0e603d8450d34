import { endOfFile } from '../util/end-of-file.ts';
import { messageOf } from '../util/message-of.ts';
import { within } from '../util/timer.ts';
import type { TaskOutputOutput } from '../wire/tool-outputs.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';
import type { PastTask } from './tool-session.ts';

/** As much as the model gets to see; the whole is in the file. */
const MAX_BYTES = 100_000;

/** Shows a task, once it has ended where that is asked for. */
export async function showTask(
  { task_id: id, block, timeout }: { task_id: string; block: boolean; timeout: number },
  { session, signal }: ToolContext,
): Promise<ToolOutput> {
  const { backgroundTasks } = session;
  if (block) await within(timeout, Promise.race([backgroundTasks.ended(id), aborted(signal)]));
  const task = backgroundTasks.get(id) ?? (await session.pastTask?.(id));
  if (!task) throw new Error(`The task ${id} is gone`);
  const status = task.status !== 'running' ? 'success' : block ? 'timeout' : 'not_ready';
  const output = await outputOf(task);
  return { content: textOf(task, status, output), data: dataOf(task, status, output) };
}

/** Commands can reach the folder, so that a link there leads wherever they like: only our own is followed. */
async function outputOf({ output, outputFile, outputSource = outputFile }: PastTask): Promise<string> {
  if (output !== undefined) return output;
  const { text, isCut } = await endOfFile(outputSource, MAX_BYTES, 'refuse').catch((error) => {
    throw new ToolError(`The output cannot be read: ${messageOf(error)}`);
  });
  return isCut ? `[Only the end is shown; all of it is in ${outputFile}]\n${text}` : text;
}

/** As the wire has it (wire.md 9.2). */
function textOf(task: PastTask, status: string, output: string): string {
  return [
    `<retrieval_status>${status}</retrieval_status>`,
    `<task_id>${task.id}</task_id>`,
    `<task_type>${task.type}</task_type>`,
    `<status>${task.status}</status>`,
    ...(task.exitCode === null ? [] : [`<exit_code>${task.exitCode}</exit_code>`]),
    ...(output === '' ? [] : [`<output>\n${output}${output.endsWith('\n') ? '' : '\n'}</output>`]),
  ].join('\n\n');
}

function dataOf(task: PastTask, status: TaskOutputOutput['retrieval_status'], output: string): TaskOutputOutput {
  return {
    retrieval_status: status,
    task: {
      task_id: task.id,
      task_type: task.type,
      status: task.status,
      description: task.description,
      output,
      ...(task.exitCode !== null && { exitCode: task.exitCode }),
      ...(task.agent && { prompt: task.agent.prompt, result: output }),
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
