import { isObject, type JsonObject } from '../util/json.ts';
import type { TodoView } from './blocks.ts';
import { objectsIn, textField } from './line-fields.ts';

/** The todo list, as the results of its tools tell of it. */
export class TodoList {
  items: TodoView[] = [];

  /** Takes a result. Returns the items that changed; null where the call is not about the list. */
  note({ name, input }: { name: string; input: JsonObject }, data: unknown): TodoView[] | null {
    const after = isObject(data) ? this.#after(name, input, data) : null;
    if (after === null) return null;
    const before = new Map(this.items.map((item) => [item.id, item]));
    this.items = after;
    return after.filter((item) => !isSame(before.get(item.id), item));
  }

  #after(name: string, input: JsonObject, data: JsonObject): TodoView[] | null {
    switch (name) {
      case 'TodoWrite':
        return Array.isArray(data.newTodos) ? objectsIn(data, 'newTodos').map((todo, at) => written(todo, at)) : null;
      case 'TaskCreate':
        return isObject(data.task) ? [...this.items, listed(data.task)] : null;
      case 'TaskUpdate':
        return data.success === true ? this.#updated(textField(data, 'taskId'), input) : null;
      case 'TaskList':
        return Array.isArray(data.tasks) ? objectsIn(data, 'tasks').map(listed) : null;
      default:
        return null;
    }
  }

  #updated(id: string, input: JsonObject): TodoView[] {
    if (input.status === 'deleted') return this.items.filter((item) => item.id !== id);
    return this.items.map((item) =>
      item.id === id
        ? {
            ...item,
            text: textField(input, 'subject') || item.text,
            active: textField(input, 'activeForm') || item.active,
            status: statusOf(input.status, item.status),
            owner: textField(input, 'owner') || item.owner,
          }
        : item,
    );
  }
}

function written(todo: JsonObject, at: number): TodoView {
  const text = textField(todo, 'content');
  return {
    id: String(at + 1),
    text,
    status: statusOf(todo.status),
    active: textField(todo, 'activeForm') || text,
    owner: null,
  };
}

function listed(task: JsonObject): TodoView {
  const text = textField(task, 'subject');
  return {
    id: textField(task, 'id'),
    text,
    status: statusOf(task.status),
    active: text,
    owner: textField(task, 'owner') || null,
  };
}

function statusOf(status: unknown, otherwise: TodoView['status'] = 'pending'): TodoView['status'] {
  return status === 'pending' || status === 'in_progress' || status === 'completed' ? status : otherwise;
}

function isSame(one: TodoView | undefined, other: TodoView): boolean {
  return one?.text === other.text && one.status === other.status && one.owner === other.owner;
}
