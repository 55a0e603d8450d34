import { definePort } from '../port.ts';
import type { TaskStore } from './task-store.ts';
import type { TodoList } from './todo-list.ts';

/** The lists of steps that the user sees. */
export interface TaskListPort {
  readonly todos: TodoList;
  /** The session's task list; opened at the first call that uses it. */
  tasks(): Promise<TaskStore>;
  /** The name of the agent that makes the calls; absent on the main thread. */
  readonly agentName?: string | undefined;
}

export const taskListPort = definePort<TaskListPort>('task-list');
