import { type AgentsPort, agentsPort } from '../../src/tools/agents/agents-port.ts';
import { type BackgroundPort, backgroundPort } from '../../src/tools/background/background-port.ts';
import { createBackgroundTasks } from '../../src/tools/background/background-tasks.ts';
import { lookupAmong, offer, type Port, type ServiceLookup } from '../../src/tools/port.ts';
import { type SearchPort, searchPort } from '../../src/tools/search/search-port.ts';
import { createForegroundCalls } from '../../src/tools/shell/foreground-calls.ts';
import { createShellDirectory } from '../../src/tools/shell/shell-directory.ts';
import { type ShellPort, shellPort } from '../../src/tools/shell/shell-port.ts';
import { memoryTaskFiles } from '../../src/tools/task-list/task-files.ts';
import { type TaskListPort, taskListPort } from '../../src/tools/task-list/task-list-port.ts';
import { createTaskStore } from '../../src/tools/task-list/task-store.ts';
import { type PlanPort, planPort } from '../../src/tools/user/plan-port.ts';
import { type WebPort, webPort } from '../../src/tools/web/web-port.ts';
import type { PermissionMode } from '../../src/wire/permission-modes.ts';

/** What a test changes of each service. */
export interface ServiceChanges {
  search?: Partial<SearchPort>;
  web?: Partial<WebPort>;
  background?: Partial<BackgroundPort>;
  shell?: Partial<ShellPort>;
  taskList?: Partial<TaskListPort>;
  agents?: Partial<AgentsPort>;
  plan?: Partial<PlanPort>;
}

/** The services of a session where everything may be read and nobody answers. */
export function toolServices(changes: ServiceChanges = {}): ServiceLookup {
  const tasks = createTaskStore(memoryTaskFiles());
  return lookupAmong([
    offer(searchPort, { readableFilter: async () => () => true, ...changes.search }),
    offer(webPort, { isHostAllowed: () => false, ask: () => unavailable('model'), ...changes.web }),
    offer(backgroundPort, { tasks: backgroundTasks(), ...changes.background }),
    offer(shellPort, {
      directory: createShellDirectory({ start: '/', isInside: () => true }),
      background: { start: () => missing('background'), adopt: () => missing('background') },
      foreground: createForegroundCalls(),
      sandbox: null,
      ...changes.shell,
    }),
    offer(taskListPort, { todos: { current: [] }, tasks: async () => tasks, ...changes.taskList }),
    offer(agentsPort, { call: () => unavailable('agents'), ...changes.agents }),
    offer(planPort, { mode: modeSwitch(), planFile: () => null, ...changes.plan }),
  ]);
}

/** The same services, with another one behind this port. */
export function withService<T>(service: ServiceLookup, port: Port<T>, changes: Partial<T>): ServiceLookup {
  const changed = lookupAmong([offer(port, { ...service(port), ...changes })]);
  return (asked) => ((asked as object) === port ? changed(asked) : service(asked));
}

function modeSwitch(): PlanPort['mode'] {
  let mode: PermissionMode = 'default';
  return {
    current: () => mode,
    beforePlan: () => 'default',
    set: async (next) => {
      mode = next;
    },
  };
}

function backgroundTasks() {
  return createBackgroundTasks({
    ids: { uuid: () => crypto.randomUUID() },
    clock: { now: () => Date.now() },
    log: () => {},
  });
}

function missing(what: string): never {
  throw new Error(`no ${what} here`);
}

async function unavailable(what: string): Promise<never> {
  return missing(what);
}
