import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { orIfMissing } from '../../util/files/or-if-missing.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';

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

/** The store of tasks, each under its id. */
export interface TaskFiles {
  /** In ascending order. */
  ids(): Promise<string[]>;
  /** Null when the task does not exist or cannot be read. */
  read(id: string): Promise<Task | null>;
  /** The highest id ever used, removed ones included; 0 when there was none. */
  highestId(): Promise<number>;
  /** False when the id is taken. */
  add(task: Task): Promise<boolean>;
  replace(task: Task): Promise<void>;
  remove(id: string): Promise<void>;
}

/** For sessions that are not stored. */
export function memoryTaskFiles(): TaskFiles {
  const tasks = new Map<string, Task>();
  let highest = 0;
  return {
    ids: async () => [...tasks.keys()],
    read: async (id) => tasks.get(id) ?? null,
    highestId: async () => highest,
    async add(task) {
      if (tasks.has(task.id)) return false;
      highest = Math.max(highest, Number(task.id));
      tasks.set(task.id, task);
      return true;
    },
    async replace(task) {
      tasks.set(task.id, task);
    },
    async remove(id) {
      tasks.delete(id);
    },
  };
}

const ID = /^[1-9]\d{0,8}$/;
/** Remembers the highest id when its task is removed, so that no id means two tasks. */
const HIGHEST = '.highwatermark';

/** One JSON file per task, in the layout of the reference; readable by the user alone. */
export function taskFiles(dir: string): TaskFiles {
  const fileOf = (id: string) => join(dir, `${id}.json`);
  const ids = async () => {
    const names = await orIfMissing(readdir(dir), []);
    const found = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
    return found.filter((id) => ID.test(id)).sort((a, b) => Number(a) - Number(b));
  };
  const highestId = async () => {
    const removed = Number(await orIfMissing(readFile(join(dir, HIGHEST), 'utf8'), '0'));
    return Math.max(Number((await ids()).at(-1) ?? 0), Number.isSafeInteger(removed) ? removed : 0);
  };
  return {
    ids,
    highestId,
    async read(id) {
      // A text that is not a number must not become part of a path.
      if (!ID.test(id)) return null;
      const text = await orIfMissing(readFile(fileOf(id), 'utf8'), null);
      return text === null ? null : toTask(id, tryParseJson(text));
    },
    async add(task) {
      makeDirectory(dir, 0o700);
      try {
        await writeFile(fileOf(task.id), toText(task), { flag: 'wx', mode: 0o600 });
        return true;
      } catch (error) {
        if (errorCode(error) === 'EEXIST') return false;
        throw error;
      }
    },
    replace: (task) => replacePrivateText(fileOf(task.id), toText(task)),
    async remove(id) {
      await replacePrivateText(join(dir, HIGHEST), String(await highestId()));
      await rm(fileOf(id), { force: true });
    },
  };
}

function toText(task: Task): string {
  return `${JSON.stringify(task, null, 2)}\n`;
}

/** Unknown fields are kept; missing ones get a value, so that one invalid file does not hide the list. */
function toTask(id: string, value: unknown): Task | null {
  if (!isObject(value) || typeof value.subject !== 'string') return null;
  return {
    ...value,
    id,
    subject: value.subject,
    description: typeof value.description === 'string' ? value.description : '',
    status: toStatus(value.status),
    blocks: toIds(value.blocks),
    blockedBy: toIds(value.blockedBy),
  };
}

function toStatus(value: unknown): TaskStatus {
  return value === 'in_progress' || value === 'completed' ? value : 'pending';
}

function toIds(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
