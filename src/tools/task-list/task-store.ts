import type { JsonObject } from '../util/json.ts';
import { oneAtATime } from '../util/one-at-a-time.ts';
import type { TaskShelf } from './task-shelf.ts';
import { ToolError } from './tool.ts';

export type TaskStatus = 'pending' | 'in_progress' | 'completed';

/** One task of a session's list, as it is in its file. */
export interface Task {
  id: string;
  subject: string;
  description: string;
  activeForm?: string;
  owner?: string;
  status: TaskStatus;
  /** The tasks that wait for this one. */
  blocks: string[];
  /** The tasks that this one waits for. */
  blockedBy: string[];
  metadata?: JsonObject;
}

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
   * Resolves with the task as it was and as it is. `by` is the agent that wants it, absent for the main thread: one that
   * begins a task claims it, and nobody else may take it, nor begin what still has to wait.
   */
  update(id: string, change: TaskChange, by?: string): Promise<{ before: Task; after: Task }>;
  /** Also takes the task out of what others wait for. Resolves with what was removed. */
  remove(id: string): Promise<Task>;
}

/** Changes run one after the other; another process on the same shelf cannot lose a task, only overwrite a change. */
export function createTaskStore(shelf: TaskShelf): TaskStore {
  const inTurn = oneAtATime();
  const get = async (id: string) => (await shelf.read(id)) ?? unknownTask(id, await shelf.ids());
  const list = async () => {
    const tasks = await Promise.all((await shelf.ids()).map((id) => shelf.read(id)));
    return tasks.filter((task) => task !== null);
  };
  return {
    get,
    list,
    create: (task) => inTurn(() => addUnderNextId(shelf, task)),
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
        await shelf.replace(after);
        for (const task of blocked) await shelf.replace({ ...task, blockedBy: union(task.blockedBy, [id]) });
        for (const task of blockers) await shelf.replace({ ...task, blocks: union(task.blocks, [id]) });
        return { before, after };
      }),
    remove: (id) =>
      inTurn(async () => {
        const task = await get(id);
        await shelf.remove(id);
        for (const each of await list()) {
          if (!each.blocks.includes(id) && !each.blockedBy.includes(id)) continue;
          await shelf.replace({ ...each, blocks: without(each.blocks, id), blockedBy: without(each.blockedBy, id) });
        }
        return task;
      }),
  };
}

/** What an agent's change means for who does the task. Throws when it is another's, or not to be begun yet. */
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
async function addUnderNextId(shelf: TaskShelf, fields: NewTask): Promise<Task> {
  for (let id = (await shelf.highestId()) + 1; ; id++) {
    const task: Task = { id: String(id), ...fields, status: 'pending', blocks: [], blockedBy: [] };
    if (await shelf.add(task)) return task;
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
