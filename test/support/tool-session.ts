import { createBackgroundTasks } from '../../src/tools/background-tasks.ts';
import { createForegroundCalls } from '../../src/tools/foreground-calls.ts';
import { createShellDirectory } from '../../src/tools/shell-directory.ts';
import { memoryShelf } from '../../src/tools/task-shelf.ts';
import { createTaskStore } from '../../src/tools/task-store.ts';
import type { ToolSession } from '../../src/tools/tool-session.ts';
import type { PermissionMode } from '../../src/wire/permission-modes.ts';

/** What tools share in a session where everything may be read and nobody answers. */
export function toolSession(changes: Partial<ToolSession> = {}): ToolSession {
  let mode: PermissionMode = 'default';
  const tasks = createTaskStore(memoryShelf());
  return {
    isHostAllowed: () => false,
    readFilter: async () => () => true,
    mode: {
      current: () => mode,
      beforePlan: () => 'default',
      set: async (next) => {
        mode = next;
      },
    },
    planFile: () => null,
    todos: { current: [] },
    tasks: async () => tasks,
    shellDirectory: createShellDirectory({ start: '/', isInside: () => true }),
    backgroundTasks: createBackgroundTasks({
      ids: { uuid: () => crypto.randomUUID() },
      clock: { now: () => Date.now() },
      log: () => {},
    }),
    backgroundShells: {
      start: () => {
        throw new Error('no background here');
      },
      adopt: () => {
        throw new Error('no background here');
      },
    },
    agents: {
      call: async () => {
        throw new Error('no agents here');
      },
    },
    foreground: createForegroundCalls(),
    sandbox: null,
    ask: async () => {
      throw new Error('no model here');
    },
    ...changes,
  };
}
