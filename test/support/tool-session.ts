import { createBackgroundTasks } from '../../src/tools/background/background-tasks.ts';
import { createForegroundCalls } from '../../src/tools/shell/foreground-calls.ts';
import { createShellDirectory } from '../../src/tools/shell/shell-directory.ts';
import { memoryTaskFiles } from '../../src/tools/task-list/task-files.ts';
import { createTaskStore } from '../../src/tools/task-list/task-store.ts';
import type { ToolSession } from '../../src/tools/tool-services.ts';
import type { PermissionMode } from '../../src/wire/permission-modes.ts';

/** What tools share in a session where everything may be read and nobody answers. */
export function toolSession(changes: Partial<ToolSession> = {}): ToolSession {
  let mode: PermissionMode = 'default';
  const tasks = createTaskStore(memoryTaskFiles());
  return {
    isHostAllowed: () => false,
    readableFilter: async () => () => true,
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
