import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { PermissionMode } from '../wire/permission-modes.ts';
import type { AgentPort } from './agent.ts';
import type { BackgroundShells } from './background-shells.ts';
import type { BackgroundTask, BackgroundTasks } from './background-tasks.ts';
import type { DetachedShells } from './detached-shells.ts';
import type { ForegroundCalls } from './foreground-calls.ts';
import type { ShellDirectory } from './shell-directory.ts';
import type { ShellSandbox } from './shell-sandbox.ts';
import type { TaskStore } from './task-store.ts';
import type { TeamPort } from './team-port.ts';
import type { TodoList } from './todo.ts';

/**
 * What the calls of one session share, and what they may ask of it. The host makes one per session; a subagent gets its
 * own. Each part is the port of the tools that use it.
 */
export interface ToolSession {
  /**
   * Tells for absolute paths whether they may be read: what a rule hides, searches leave out. For many paths at one
   * moment: each symlink is looked at once. Not to be kept beyond one search.
   */
  readFilter(): Promise<(path: string) => boolean>;
  /** Whether a rule of the user allows to fetch from exactly this host, as `hostNameOf` gives it. */
  isHostAllowed(host: string): boolean;
  readonly mode: ModeSwitch;
  /** Where the session's plan is written, or null where there is no place for files. */
  planFile(): string | null;
  /** How to work in plan mode, in the host's words; absent: in ours. */
  readonly planInstructions?: string | undefined;
  readonly todos: TodoList;
  /** How the agent is called whose calls these are; absent on the main thread. */
  readonly agentName?: string | undefined;
  /** The session's task list; opened with the first call that wants it. */
  tasks(): Promise<TaskStore>;
  readonly shellDirectory: ShellDirectory;
  /** What runs beside the conversation, of all agents of the session. */
  readonly backgroundTasks: BackgroundTasks;
  /** A task of an earlier process of the session, as it was left; null: none is known. Absent on agents. */
  pastTask?(id: string): Promise<PastTask | null>;
  readonly backgroundShells: BackgroundShells;
  /** Starts commands that outlive the session; absent where none could be found again. */
  readonly detachedShells?: DetachedShells;
  readonly agents: AgentPort;
  readonly foreground: ForegroundCalls;
  /** Where agents reach each other; absent where there are no teams. */
  readonly team?: TeamPort | undefined;
  /** What commands run in; null: nothing confines them. */
  readonly sandbox: ShellSandbox | null;
  /** Calls a model beside the conversation. Booked like any call; refused when the budget is used up. */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<readonly ContentBlock[]>;
}

/** What is shown of a task, running or past. */
export interface PastTask
  extends Pick<BackgroundTask, 'id' | 'type' | 'description' | 'status' | 'exitCode' | 'agent'> {
  outputFile: string;
  outputSource?: string;
  /** What came of it, where no file is to be read. */
  output?: string;
}

/** The permission mode, as far as tools may change it. */
export interface ModeSwitch {
  current(): PermissionMode;
  /** The mode in force before plan mode was entered; `default` when the session began in it. */
  beforePlan(): PermissionMode;
  /** Changes the mode and tells the host. */
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
