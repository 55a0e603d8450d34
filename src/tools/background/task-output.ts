import { endOfFile } from '../../util/files/end-of-file.ts';
import { messageOf } from '../../util/message-of.ts';
import { within } from '../../util/timer.ts';
import type { TaskOutputOutput } from '../../wire/tools/tool-outputs.ts';
import { boolean, type InputOf, integer, objectInput, string, withDefault } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import { backgroundPort, type EarlierTask } from './background-port.ts';

const MAX_WAIT_MS = 600_000;

const input = objectInput({
  task_id: string('Its id'),
  block: withDefault(boolean('Wait until it has ended'), true),
  timeout: withDefault(integer('Milliseconds to wait at most', { minimum: 0, maximum: MAX_WAIT_MS }), 30_000),
});
// The reference lists these as required; calls without them get the defaults.
input.json.required = ['task_id', 'block', 'timeout'];

export const taskOutputTool: Tool<InputOf<typeof input>> = {
  name: 'TaskOutput',
  aliases: ['BashOutput', 'AgentOutput'],
  description: `Shows the state and the output of a command or an agent in the background. You are told when one has ended: wait only for what you need now.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => true,
  async prepare(call, { service }) {
    const { tasks, earlierTask } = service(backgroundPort);
    if (tasks.get(call.task_id) ?? (await earlierTask?.(call.task_id))) return call;
    throw refusal(unknownTask(call.task_id, tasks.list()));
  },
  run: showTask,
};

/** The error text for an id that no task has. */
export function unknownTask(id: string, tasks: readonly { id: string; status: string }[]): string {
  const known = tasks.map((task) => `${task.id} (${task.status})`).join(', ');
  return `No task has the id ${id}. ${known === '' ? 'None was started in this session.' : `There are: ${known}`}`;
}

/** The most that the model gets to see; the whole output is in the file. */
const MAX_BYTES = 100_000;

/** Shows a task, after its end if the call asks to wait. */
async function showTask(
  { task_id: id, block, timeout }: { task_id: string; block: boolean; timeout: number },
  { service, signal }: ToolContext,
): Promise<ToolOutput> {
  const { tasks, earlierTask } = service(backgroundPort);
  if (block) await within(timeout, Promise.race([tasks.ended(id), aborted(signal)]));
  const task = tasks.get(id) ?? (await earlierTask?.(id));
  if (!task) throw new Error(`The task ${id} is gone`);
  const status = task.status !== 'running' ? 'success' : block ? 'timeout' : 'not_ready';
  const output = await outputOf(task);
  return { content: textOf(task, status, output), data: dataOf(task, status, output) };
}

/** Commands can write to the folder, so a link there may lead anywhere: only Heddle's own link is followed. */
async function outputOf({ output, outputFile, outputSource = outputFile }: EarlierTask): Promise<string> {
  if (output !== undefined) return output;
  const { text, isCut } = await endOfFile(outputSource, MAX_BYTES, 'refuse').catch((error) => {
    throw new ToolError(`The output cannot be read: ${messageOf(error)}`);
  });
  return isCut ? `[Only the end is shown; all of it is in ${outputFile}]\n${text}` : text;
}

/** The result text in the form of the wire (wire.md 9.2). */
function textOf(task: EarlierTask, status: string, output: string): string {
  return [
    `<retrieval_status>${status}</retrieval_status>`,
    `<task_id>${task.id}</task_id>`,
    `<task_type>${task.type}</task_type>`,
    `<status>${task.status}</status>`,
    ...(task.exitCode === null ? [] : [`<exit_code>${task.exitCode}</exit_code>`]),
    ...(output === '' ? [] : [`<output>\n${output}${output.endsWith('\n') ? '' : '\n'}</output>`]),
  ].join('\n\n');
}

function dataOf(task: EarlierTask, status: TaskOutputOutput['retrieval_status'], output: string): TaskOutputOutput {
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
