import { join } from 'node:path';
import { namesHost } from '../permissions/domain-rules.ts';
import { isInsideAny } from '../permissions/paths.ts';
import { rememberingRealPath } from '../permissions/real-path.ts';
import type { AgentPort } from '../tools/agent.ts';
import { createBackgroundShells } from '../tools/background-shells.ts';
import { createBackgroundTasks } from '../tools/background-tasks.ts';
import type { DetachedShells, DetachedShellsOptions } from '../tools/detached-shells.ts';
import { createForegroundCalls } from '../tools/foreground-calls.ts';
import { createShellDirectory } from '../tools/shell-directory.ts';
import type { TaskStore } from '../tools/task-store.ts';
import type { TodoList } from '../tools/todo.ts';
import type { ToolSession } from '../tools/tool-session.ts';
import type { Workspace } from '../tools/workspace.ts';
import { madeOnce } from '../util/made-once.ts';
import { oneAtATime } from '../util/one-at-a-time.ts';
import type { Ids, Logger } from '../util/runtime.ts';
import { positiveInteger } from '../util/setting-text.ts';
import type { Env } from './home.ts';
import type { Parts } from './parts.ts';

export interface ToolSessionOptions {
  env: Env;
  planFile(): string | null;
  /** The list as the session was left. */
  todos: TodoList['current'];
  /** Where its tasks are kept; null: only in memory. */
  tasksDir: string | null;
  workspace: Workspace;
  ids: Ids;
  /** Where large outputs go, and those of background commands. */
  spillDir: string;
  /** Where commands that outlive the session are noted; null or absent: none may. */
  detached?: { recordsDir: string; sessionId: string } | null;
  /** What an agent shares with the one that it works for. */
  parent?: ToolSession;
}

/** What the tools of one session share, made of its parts. `parts` is asked late: some of it changes. */
export function createToolSession(parts: () => Parts, options: ToolSessionOptions): ToolSession {
  // Where there is a budget, one after the other: calls that run side by side would all find it unspent.
  const inTurn = oneAtATime();
  const tasks = madeOnce(() => openTasks(options.tasksDir));
  const { parent, workspace, ids } = options;
  const log: Logger = (...line) => parts().runtime.log(...line);
  const clock = { now: () => parts().runtime.clock.now() };
  const backgroundTasks = parent?.backgroundTasks ?? createBackgroundTasks({ ids, clock, log });
  const outputDir = join(options.spillDir, 'tasks');
  const detachedShells =
    parent?.detachedShells ??
    (options.detached ? lazyDetachedShells({ ...options.detached, tasks: backgroundTasks, outputDir }) : undefined);
  return {
    async readFilter() {
      const { hiddenPaths } = await import('../permissions/hidden-paths.ts');
      const isHidden = hiddenPaths(parts().permissions.policy, rememberingRealPath());
      return (path) => !isHidden(path);
    },
    isHostAllowed: (host) => namesHost(parts().permissions.policy, 'WebFetch', host),
    mode: {
      current: () => parts().permissions.policy.mode,
      beforePlan: () => parts().permissions.beforePlan,
      set: (mode) => parts().permissions.apply([{ type: 'setMode', mode, destination: 'session' }]),
    },
    planFile: options.planFile,
    get planInstructions() {
      return parts().settings.planModeInstructions;
    },
    todos: { current: options.todos },
    async tasks() {
      if (parent) return parent.tasks();
      const store = await tasks();
      return parts().hooks?.watchTasks(store) ?? store;
    },
    shellDirectory: createShellDirectory({
      start: workspace.cwd,
      isInside: (path) => isInsideAny(parts().permissions.policy.roots, path),
    }),
    backgroundTasks,
    ...(!parent && { pastTask: async (id: string) => parts().leftTasks?.find(id) ?? null }),
    backgroundShells: createBackgroundShells({ workspace, tasks: backgroundTasks, outputDir }),
    ...(detachedShells && { detachedShells }),
    get agentName() {
      const { agent } = parts();
      return agent ? (agent.teammate ?? agent.id) : undefined;
    },
    get team() {
      const { team, agent } = parts();
      return team?.portOf(agent?.teammate ?? (agent ? agent.description : undefined));
    },
    agents: agentPort(parts),
    foreground: createForegroundCalls({ afterMs: positiveInteger(options.env.HEDDLE_BACKGROUND_AFTER_MS) }),
    get sandbox() {
      return parts().sandbox.shell;
    },
    ask(question, signal) {
      const work = async () => (await import('./ask-model.ts')).askModel(parts(), question, signal);
      return parts().limits.maxBudgetUsd === undefined ? work() : inTurn(work);
    },
  };
}

/** What starts agents is loaded with the first of them. */
function agentPort(parts: () => Parts): AgentPort {
  const inTurn = oneAtATime();
  return {
    async call(call, context) {
      const { callAgent } = await import('./agents/start-agent.ts');
      return callAgent(parts(), call, context, inTurn);
    },
  };
}

/** Hardly any command outlives its session. */
function lazyDetachedShells(options: DetachedShellsOptions): DetachedShells {
  return {
    start: async (spec) => (await import('../tools/detached-shells.ts')).createDetachedShells(options).start(spec),
  };
}

async function openTasks(dir: string | null): Promise<TaskStore> {
  const [{ createTaskStore }, { fileShelf, memoryShelf }] = await Promise.all([
    import('../tools/task-store.ts'),
    import('../tools/task-shelf.ts'),
  ]);
  return createTaskStore(dir === null ? memoryShelf() : fileShelf(dir));
}
