import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { PermissionMode } from '../wire/permission-modes.ts';
import type { AgentPort } from './agents/agent.ts';
import type { TeamPort } from './agents/team-port.ts';
import type { BackgroundTask, BackgroundTasks } from './background/background-tasks.ts';
import type { BackgroundShells } from './shell/background-shells.ts';
import type { DetachedShells } from './shell/detached-shells.ts';
import type { ForegroundCalls } from './shell/foreground-calls.ts';
import type { ShellDirectory } from './shell/shell-directory.ts';
import type { ShellSandbox } from './shell-sandbox.ts';
import type { TaskStore } from './task-list/task-store.ts';
import type { TodoList } from './task-list/todo.ts';

/**
 * The state and services that the calls of one session share. The host makes one per session; a subagent gets its own.
 * Each part is the port of the tools that use it.
 */
export interface ToolSession {
  /**
   * Resolves with a filter for absolute paths: searches leave out the paths that a rule hides. It checks each symlink
   * once, so do not keep it beyond one search.
   */
  readableFilter(): Promise<(path: string) => boolean>;
  /** True when a rule of the user allows fetching from exactly this host, in the form of `hostNameOf`. */
  isHostAllowed(host: string): boolean;
  readonly mode: ModeSwitch;
  /** The path of the session's plan, or null when the session has no place for files. */
  planFile(): string | null;
  /** The host's instructions for plan mode; absent: Heddle's own. */
  readonly planInstructions?: string | undefined;
  readonly todos: TodoList;
  /** The name of the agent that makes the calls; absent on the main thread. */
  readonly agentName?: string | undefined;
  /** The session's task list; opened at the first call that uses it. */
  tasks(): Promise<TaskStore>;
  readonly shellDirectory: ShellDirectory;
  /** The background tasks of all agents of the session. */
  readonly backgroundTasks: BackgroundTasks;
  /** The last state of a task of an earlier process of the session; null when it is unknown. Absent on agents. */
  earlierTask?(id: string): Promise<EarlierTask | null>;
  readonly backgroundShells: BackgroundShells;
  /** Starts commands that outlive the session; absent when they could not be found again. */
  readonly detachedShells?: DetachedShells;
  readonly agents: AgentPort;
  readonly foreground: ForegroundCalls;
  /** The port through which agents reach each other; absent without teams. */
  readonly team?: TeamPort | undefined;
  /** The sandbox of commands; null: no sandbox. */
  readonly sandbox: ShellSandbox | null;
  /** Calls a model outside the conversation. Booked like any call; rejects when the budget is used up. */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<readonly ContentBlock[]>;
}

/** The public data of a task, running or past. */
export interface EarlierTask
  extends Pick<BackgroundTask, 'id' | 'type' | 'description' | 'status' | 'exitCode' | 'agent'> {
  outputFile: string;
  outputSource?: string;
  /** The output, when there is no file to read. */
  output?: string;
}

/** The permission mode, as far as tools may change it. */
export interface ModeSwitch {
  current(): PermissionMode;
  /** The mode in force before plan mode was entered; `default` when the session began in it. */
  beforePlan(): PermissionMode;
  /** Changes the mode and notifies the host. */
  set(mode: PermissionMode): Promise<void>;
}

export interface ModelQuestion {
  prompt: string;
  system?: string;
  /** `small`: quick and cheap, for reading. `main`: the session's own. */
  model: 'small' | 'main' | { named: string };
  maxOutputTokens?: number;
  /** Tools that the provider itself runs, as its API describes them. */
  serverTools?: readonly JsonObject[];
}
