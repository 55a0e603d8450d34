import { join } from 'node:path';
import type { Ledger } from '../../agent/ledger.ts';
import type { Limits } from '../../agent/limits.ts';
import { namesHost } from '../../permissions/domain-rules.ts';
import { type AgentsPort, agentsPort } from '../../tools/agents/agents-port.ts';
import { backgroundPort } from '../../tools/background/background-port.ts';
import type { AskModel } from '../../tools/model-question.ts';
import { lookupAmong, offer, type ServiceLookup } from '../../tools/port.ts';
import { searchPort } from '../../tools/search/search-port.ts';
import { createBackgroundShells } from '../../tools/shell/background-shells.ts';
import type { DetachedShells, DetachedShellsOptions } from '../../tools/shell/detached-shells.ts';
import { createForegroundCalls } from '../../tools/shell/foreground-calls.ts';
import { type ShellPort, shellPort } from '../../tools/shell/shell-port.ts';
import { memoryTaskFiles, taskFiles } from '../../tools/task-list/task-files.ts';
import { type TaskListPort, taskListPort } from '../../tools/task-list/task-list-port.ts';
import { createTaskStore, type TaskStore } from '../../tools/task-list/task-store.ts';
import type { TodoList } from '../../tools/task-list/todo-list.ts';
import { planPort } from '../../tools/user/plan-port.ts';
import { webPort } from '../../tools/web/web-port.ts';
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

export interface ToolServicesOptions {
  env: Env;
  /** The stored list of the session. */
  todos: TodoList;
  /** The folder of its tasks; null: they are only in memory. */
  tasksDir: string | null;
  /** Where commands that outlive the session are recorded; null or absent: no command may outlive it. */
  detached?: { recordsDir: string; sessionId: string } | null;
  /** The services that an agent shares with its caller. */
  parent?: ServiceLookup;
  /** Answers calls of the Task tool. */
  callAgent: AgentsPort['call'];
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
  readonly askModel: AskModel;
}

/** The limits of a thread, and its costs so far. */
export interface Budget {
  readonly limits: Limits;
  readonly ledger: Ledger;
}

/** Makes the services that all tools of one thread share. */
export function createToolServices(thread: ToolThread, options: ToolServicesOptions): ServiceLookup {
  const { services, permissions, workplace, model, identity } = thread;
  const { tasks, earlier } = services.background;
  const { agent } = identity;
  return lookupAmong([
    offer(searchPort, { readableFilter: () => readFilter(permissions) }),
    offer(webPort, {
      isHostAllowed: (host) => namesHost(permissions.policy, 'WebFetch', host),
      ask: thread.askModel,
    }),
    offer(backgroundPort, {
      tasks,
      ...(!options.parent && { earlierTask: async (id: string) => earlier?.find(id) ?? null }),
    }),
    offer(shellPort, shellOf(thread, options)),
    offer(taskListPort, taskListOf(thread, options)),
    offer(agentsPort, {
      call: options.callAgent,
      get team() {
        return services.agents.team?.portOf(agent?.teammate ?? (agent ? agent.description : undefined));
      },
    }),
    offer(planPort, {
      mode: {
        current: () => permissions.policy.mode,
        beforePlan: () => permissions.beforePlan,
        set: (mode) => permissions.apply([{ type: 'setMode', mode, destination: 'session' }]),
      },
      planFile: () => workplace.plan.file(),
      get planInstructions() {
        return model.settings.planModeInstructions;
      },
    }),
  ]);
}

/** Lets tools, hooks and servers ask a model; the thread pays for the answer. */
export function createAskModel({
  services,
  model,
  budget,
}: Pick<ToolThread, 'services' | 'model' | 'budget'>): AskModel {
  // With a budget, questions wait for each other: parallel ones would all find the budget unspent.
  const inTurn = oneAtATime();
  return (question, signal) => {
    const payer = { runtime: services.runtime, model, models: services.models, ...budget };
    const work = () => askModel(payer, question, signal);
    return budget.limits.maxBudgetUsd === undefined ? work() : inTurn(work);
  };
}

function shellOf(
  { services, permissions, workplace, conversation }: ToolThread,
  options: ToolServicesOptions,
): ShellPort {
  const { tasks } = services.background;
  const outputDir = join(conversation.transcript.spillDir, 'tasks');
  const detached =
    options.parent?.(shellPort).detached ??
    (options.detached ? lazyDetachedShells({ ...options.detached, tasks, outputDir }) : undefined);
  return {
    directory: workplace.shell,
    background: createBackgroundShells({ workspace: workplace.workspace, tasks, outputDir }),
    detached,
    foreground: createForegroundCalls({ afterMs: positiveInteger(options.env.HEDDLE_BACKGROUND_AFTER_MS) }),
    get sandbox() {
      return workplace.sandbox.shell;
    },
    guard: workplace.guard.forThread(() => permissions.policy),
  };
}

function taskListOf({ identity: { agent }, hooks }: ToolThread, options: ToolServicesOptions): TaskListPort {
  const { parent, todos } = options;
  const open = madeOnce(() => openTasks(options.tasksDir));
  return {
    todos,
    async tasks() {
      if (parent) return parent(taskListPort).tasks();
      const store = await open();
      return hooks.current?.watchTasks(store) ?? store;
    },
    agentName: agent ? (agent.teammate ?? agent.id) : undefined,
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
