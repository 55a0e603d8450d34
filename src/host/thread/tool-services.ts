import { join } from 'node:path';
import type { Ledger } from '../../agent/ledger.ts';
import type { Limits } from '../../agent/limits.ts';
import { namesHost } from '../../permissions/domain-rules.ts';
import type { AgentPort } from '../../tools/agents/agent.ts';
import { createBackgroundShells } from '../../tools/shell/background-shells.ts';
import type { DetachedShells, DetachedShellsOptions } from '../../tools/shell/detached-shells.ts';
import { createForegroundCalls } from '../../tools/shell/foreground-calls.ts';
import { memoryTaskFiles, taskFiles } from '../../tools/task-list/task-files.ts';
import { createTaskStore, type TaskStore } from '../../tools/task-list/task-store.ts';
import type { TodoList } from '../../tools/task-list/todo.ts';
import type { ToolSession } from '../../tools/tool-services.ts';
import { madeOnce } from '../../util/made-once.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Env } from '../engine/environment.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import { askModel } from '../models/ask-model.ts';
import type { ModelSettings } from '../models/model-settings.ts';
import { readFilter } from '../permissions/read-filter.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import type { Identity } from './identity.ts';
import type { SessionServices } from './services.ts';
import type { Workplace } from './workplace.ts';

export interface ToolSessionOptions {
  env: Env;
  /** The stored list of the session. */
  todos: TodoList;
  /** The folder of its tasks; null: they are only in memory. */
  tasksDir: string | null;
  /** Where commands that outlive the session are recorded; null or absent: no command may outlive it. */
  detached?: { recordsDir: string; sessionId: string } | null;
  /** The services that an agent shares with its caller. */
  parent?: ToolSession;
  /** Answers calls of the Task tool. */
  callAgent: AgentPort['call'];
}

/** The parts of a thread that exist before its tool services are made. */
export interface ToolThread {
  readonly services: SessionServices;
  readonly identity: Identity;
  readonly conversation: Conversation;
  readonly model: ModelSettings;
  readonly workplace: Workplace;
  readonly permissions: Permissions;
  readonly budget: Budget;
  readonly hooks: Lazy<SessionHooks>;
}

/** The limits of a thread, and its costs so far. */
export interface Budget {
  readonly limits: Limits;
  readonly ledger: Ledger;
}

/** Makes the services that all tools of one thread share. */
export function createToolSession(thread: ToolThread, options: ToolSessionOptions): ToolSession {
  const { services, permissions, workplace, model, budget, hooks, conversation } = thread;
  const { agent } = thread.identity;
  // With a budget, tools ask models one after the other: parallel questions would all find the budget unspent.
  const inTurn = oneAtATime();
  const tasks = madeOnce(() => openTasks(options.tasksDir));
  const { parent } = options;
  const { tasks: backgroundTasks, earlier } = services.background;
  const outputDir = join(conversation.transcript.spillDir, 'tasks');
  const detachedShells =
    parent?.detachedShells ??
    (options.detached ? lazyDetachedShells({ ...options.detached, tasks: backgroundTasks, outputDir }) : undefined);
  return {
    readableFilter: () => readFilter(permissions),
    isHostAllowed: (host) => namesHost(permissions.policy, 'WebFetch', host),
    mode: {
      current: () => permissions.policy.mode,
      beforePlan: () => permissions.beforePlan,
      set: (mode) => permissions.apply([{ type: 'setMode', mode, destination: 'session' }]),
    },
    planFile: () => workplace.plan.file(),
    get planInstructions() {
      return model.settings.planModeInstructions;
    },
    todos: options.todos,
    async tasks() {
      if (parent) return parent.tasks();
      const store = await tasks();
      return hooks.current?.watchTasks(store) ?? store;
    },
    shellDirectory: workplace.shell,
    backgroundTasks,
    ...(!parent && { earlierTask: async (id: string) => earlier?.find(id) ?? null }),
    backgroundShells: createBackgroundShells({ workspace: workplace.workspace, tasks: backgroundTasks, outputDir }),
    ...(detachedShells && { detachedShells }),
    agentName: agent ? (agent.teammate ?? agent.id) : undefined,
    get team() {
      return services.agents.team?.portOf(agent?.teammate ?? (agent ? agent.description : undefined));
    },
    agents: { call: options.callAgent },
    foreground: createForegroundCalls({ afterMs: positiveInteger(options.env.HEDDLE_BACKGROUND_AFTER_MS) }),
    get sandbox() {
      return workplace.sandbox.shell;
    },
    ask(question, signal) {
      const payer = { runtime: services.runtime, model, models: services.models, ...budget };
      const work = () => askModel(payer, question, signal);
      return budget.limits.maxBudgetUsd === undefined ? work() : inTurn(work);
    },
  };
}

/** Loads the code with the first call, because hardly any command outlives its session. */
function lazyDetachedShells(options: DetachedShellsOptions): DetachedShells {
  return {
    start: async (spec) =>
      (await import('../../tools/shell/detached-shells.ts')).createDetachedShells(options).start(spec),
  };
}

async function openTasks(dir: string | null): Promise<TaskStore> {
  return createTaskStore(dir === null ? memoryTaskFiles() : taskFiles(dir));
}
