import { oneAtATime } from '../../util/one-at-a-time.ts';
import { ToolError } from '../tool.ts';
import type { Task, TaskFiles } from './task-files.ts';

export type NewTask = Pick<Task, 'subject' | 'description' | 'activeForm' | 'metadata'>;

export interface TaskChange extends Partial<Pick<Task, 'subject' | 'description' | 'activeForm' | 'owner' | 'status'>> {
  addBlocks?: string[];
  addBlockedBy?: string[];
}

/** The tasks of a session. Unknown ids are ToolErrors: the model has to read them. */
export interface TaskStore {
  create(task: NewTask): Promise<Task>;
  get(id: string): Promise<Task>;
  list(): Promise<Task[]>;
  /**
   * Resolves with the task before and after the change. `by` is the agent that makes it, absent for the main thread: an
   * agent that begins a task claims it, and no other agent may take it. Rejects when an agent begins a task that is
   * still blocked.
   */
  update(id: string, change: TaskChange, by?: string): Promise<{ before: Task; after: Task }>;
  /** Also removes the task from the lists of tasks that wait for it. Resolves with the removed task. */
  remove(id: string): Promise<Task>;
}

/** Changes run one after the other. Another process with the same files cannot lose a task, only overwrite a change. */
export function createTaskStore(files: TaskFiles): TaskStore {
  const inTurn = oneAtATime();
  const get = async (id: string) => (await files.read(id)) ?? unknownTask(id, await files.ids());
  const list = async () => {
    const tasks = await Promise.all((await files.ids()).map((id) => files.read(id)));
    return tasks.filter((task) => task !== null);
  };
  return {
    get,
    list,
    create: (task) => inTurn(() => addUnderNextId(files, task)),
    update: (id, change, by) =>
      inTurn(async () => {
        const before = await get(id);
        const claim = by === undefined ? {} : await claimBy(by, before, change, get);
        const { addBlocks = [], addBlockedBy = [], ...fields } = { ...claim, ...change };
        const blocks = union(before.blocks, addBlocks);
        const blockedBy = union(before.blockedBy, addBlockedBy);
        refuseDeadlock(id, blocks, blockedBy);
        // All of them must exist before anything is written.
        const blocked = await Promise.all(addBlocks.map(get));
        const blockers = await Promise.all(addBlockedBy.map(get));
        const after: Task = { ...before, ...fields, blocks, blockedBy };
        await files.replace(after);
        for (const task of blocked) await files.replace({ ...task, blockedBy: union(task.blockedBy, [id]) });
        for (const task of blockers) await files.replace({ ...task, blocks: union(task.blocks, [id]) });
        return { before, after };
      }),
    remove: (id) =>
      inTurn(async () => {
        const task = await get(id);
        await files.remove(id);
        for (const each of await list()) {
          if (!each.blocks.includes(id) && !each.blockedBy.includes(id)) continue;
          await files.replace({ ...each, blocks: without(each.blocks, id), blockedBy: without(each.blockedBy, id) });
        }
        return task;
      }),
  };
}

/** The owner of the task after an agent's change. Throws when the task is another agent's, or still blocked. */
async function claimBy(
  agent: string,
  task: Task,
  { owner, status }: TaskChange,
  get: (id: string) => Promise<Task>,
): Promise<TaskChange> {
  const isTaken = task.owner !== undefined && task.owner !== agent && task.status === 'in_progress';
  const touches = owner !== undefined || status !== undefined;
  if (isTaken && touches) throw new ToolError(`Task #${task.id} is being done by ${task.owner}. Take another one.`);
  if (status !== 'in_progress') return {};
  const blockers = await Promise.all(task.blockedBy.map(get));
  const open = blockers.filter((each) => each.status !== 'completed').map(({ id }) => `#${id}`);
  if (open.length > 0) throw new ToolError(`Task #${task.id} still waits for ${open.join(', ')}.`);
  return { owner: agent };
}

/** Another process may take the id first; then the next one is tried. */
async function addUnderNextId(files: TaskFiles, fields: NewTask): Promise<Task> {
  for (let id = (await files.highestId()) + 1; ; id++) {
    const task: Task = { id: String(id), ...fields, status: 'pending', blocks: [], blockedBy: [] };
    if (await files.add(task)) return task;
  }
}

function refuseDeadlock(id: string, blocks: readonly string[], blockedBy: readonly string[]): void {
  if ([...blocks, ...blockedBy].includes(id)) throw new ToolError(`Task ${id} cannot wait for itself.`);
  const both = blocks.find((each) => blockedBy.includes(each));
  if (both !== undefined) throw new ToolError(`Tasks ${id} and ${both} cannot wait for each other.`);
}

function unknownTask(id: string, known: readonly string[]): never {
  const choices = known.length === 0 ? 'There are no tasks.' : `Known ids: ${known.join(', ')}.`;
  throw new ToolError(`There is no task with the id ${JSON.stringify(id)}. ${choices}`);
}

function union(ids: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...ids, ...more])];
}

function without(ids: readonly string[], id: string): string[] {
  return ids.filter((each) => each !== id);
}
