import type { Ask } from '../agent/gate.ts';
import type { Ledger } from '../agent/ledger.ts';
import type { Limits } from '../agent/limits.ts';
import type { Recorder } from '../agent/recorder.ts';
import type { ContextWindow } from '../agent/turn.ts';
import type { CallHost } from '../mcp/sdk-bridge.ts';
import type { ApiMessage } from '../model/model.ts';
import type { Env } from '../model/resolve.ts';
import type { Policy } from '../permissions/policy.ts';
import type { Registry } from '../tools/registry.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { ToolSession } from '../tools/tool-session.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Runtime } from '../util/runtime.ts';
import type { AgentDefinition } from '../wire/agent-definition.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { PermissionDenial } from '../wire/usage.ts';
import type { AgentNotes } from './agents/agent-notes.ts';
import type { MainAgent } from './agents/main-agent.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Configuration } from './configuration.ts';
import type { Extensions, GivenPlugin, TurnExtras } from './extensions.ts';
import type { SessionHooks } from './hooks.ts';
import type { LeftTasks } from './left-tasks.ts';
import type { SessionMcp } from './mcp.ts';
import type { SessionMemory } from './memory.ts';
import type { Mind, MindSpec } from './mind.ts';
import type { Chosen } from './models.ts';
import type { Permissions } from './permissions.ts';
import type { Reminders } from './reminders.ts';
import type { SessionSandbox } from './sandbox.ts';
import type { SessionSettings } from './session-settings.ts';
import type { TrustReport } from './settings.ts';
import type { StructuredSetting } from './structured.ts';
import type { SessionTeam } from './team.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { OpenTranscript } from './transcript.ts';
import type { Emit } from './voice.ts';
import type { SessionWorktree } from './worktrees/session-worktree.ts';

/** All that one session consists of. Made once by `assemble`; what may change later says so. */
export interface Parts {
  readonly runtime: Runtime;
  /** Null unless it is on. */
  readonly telemetry: Telemetry | null;
  readonly sessionId: string;
  /** In which form the host wants to hear what versions of the reference say differently. Set by `initialize`. */
  dialect: Dialect;
  readonly pid: number;
  /** By the clock of `runtime`. */
  readonly openedAt: number;
  readonly workspace: Workspace;
  /** Gains a tool when an output schema is given. */
  tools: Registry;
  readonly permissions: Permissions;
  /** Whether someone at the other end answers permission questions. */
  readonly asksHost: boolean;
  /** Who reads of every change between working, waiting for an answer, and being idle: nobody, the SDK, or its user too. */
  readonly stateLines: 'none' | 'sdk' | 'all';
  /** What `set_model` goes back to. */
  launchModel: string | undefined;
  chooseModel(name: string | undefined): Promise<Chosen>;
  /** What the names of models mean here, that hosts can offer their users. */
  readonly choice: { env: Env; model: string };
  /** Replaced by `set_model`. */
  chosen: Chosen;
  /** What is tried when the chosen one cannot answer. */
  readonly fallbacks: readonly Chosen[];
  readonly betas: readonly string[];
  /** Replaced by `apply_flag_settings`. */
  effort: string | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly userId: string;
  /** Changed by `initialize` and the `set_*` requests. */
  readonly settings: SessionSettings;
  /** Set by `--json-schema` or `initialize`. */
  structured: StructuredSetting | null;
  setSchema(schema: unknown): Promise<void>;
  /** The MCP servers; null as long as there are none. */
  mcp: SessionMcp | null;
  /** Makes `mcp`, the first time. Rejects with `invalid_option` when the launch names servers that cannot be read. */
  openMcp(): Promise<SessionMcp>;
  /** How far the project's file of MCP servers was believed; null when it has none. */
  readonly serverTrust: TrustReport | null;
  /** Null as long as there are none. */
  hooks: SessionHooks | null;
  /** Makes `hooks`, the first time. */
  openHooks(): Promise<SessionHooks>;
  /** Set for an agent of the session, null on the main thread. */
  readonly agent: AgentFacts | null;
  /** The team of the session; null where there can be none. */
  team: SessionTeam | null;
  /** Messages for agents that are at work, by the names that they were given. */
  readonly agentMail: Map<string, string[]>;
  /** What agents were denied since the last result, which is where hosts look for it (ruling K32). */
  readonly agentDenials: PermissionDenial[];
  /** What the main thread runs as; null: nothing in particular. */
  mainAgent: MainAgent | null;
  /** What the main thread's agent wants to be said first; null when there is nothing, or it was taken already. */
  takeInitialPrompt(): string | null;
  /** The notes of the agent that this is; null: it keeps none. */
  notes: AgentNotes | null;
  /** Whether a turn is running or a message waits for one; set by the session. */
  isAnswering: () => boolean;
  /** Says a line; set by the session. */
  say: Emit;
  /** Something has happened beside the conversation that a turn may begin for; set by the session. */
  wake: () => void;
  /** Asks the tool of an MCP server that `--permission-prompt-tool` names; null where it names none. */
  readonly askTool: Ask | null;
  /** Asks whoever answers permission questions; null when nobody does. Set by the session. */
  ask: () => Ask | null;
  /** Asks the host; set once there is a connection to it. */
  callHost: CallHost;
  /** Has these tools of the host's program beside all others. */
  setHostTools(tools: readonly Tool[]): Promise<void>;
  /** Makes `tools` anew, of what there is now. */
  remakeTools(): Promise<void>;
  readonly context: ContextWindow;
  readonly configuration: Configuration;
  readonly toolUseSummaries: boolean;
  /** Milliseconds between the signs of life of a long tool call; undefined for the usual ones. */
  readonly progressMs: number | undefined;
  /** Whether a slash at the start of a prompt means nothing. */
  readonly takesCommandsAsText: boolean;
  /** Whether an `@path` in a prompt means nothing. */
  readonly takesPromptsVerbatim: boolean;
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  /** Null unless files are to be kept for rewinds. */
  readonly checkpoints: Checkpoints | null;
  /** The conversation on the active branch; turns append to it. */
  readonly messages: ApiMessage[];
  /** The transcript behind the recorder: what a move to another branch reads. */
  readonly transcript: Pick<
    OpenTranscript,
    | ('key' | 'store' | 'hasPast' | 'isKept' | 'path' | 'report' | 'pastAt' | 'release' | 'gitBranch' | 'spillDir')
    | ('forkedFrom' | 'answeredAt' | 'deferred')
  >;
  /** Whether the conversation went on beside what was written later; then its leaf is recorded with every turn. */
  isBranching: boolean;
  /** A title that is still to be recorded, with the first message. */
  title: string | null;
  /** The title of the session as it is on disk; null: it has none. */
  titleInForce: string | null;
  /** Lines of this run that are no entries of the session, and the entry that was the last before each. */
  readonly spoken: Map<string, string>;
  /** The uuids in use: the store keeps each once, so a message must bring a new one. */
  readonly uuids: Set<string>;
  readonly reminders: Reminders;
  readonly memory: SessionMemory;
  /** Skills, commands, agents, output styles and plugins. */
  readonly extensions: Extensions;
  /** The plugins that are named by their folders; `reload_plugins` may add some, which count with the next reading. */
  readonly givenPlugins: GivenPlugin[];
  /** Reads `extensions` anew; the tools follow. */
  reloadExtensions(): Promise<void>;
  /** The commands as the host knows them, as JSON; null until it has asked. */
  toldCommands: string | null;
  /** What the running turn has of them; made anew with every turn. */
  extras: TurnExtras;
  /** Directories that the host has added with `register_repo_root`. */
  readonly registeredRoots: Set<string>;
  /** Agents that the launch or `initialize` defines, by name. */
  readonly hostAgents: unknown;
  setHostAgents(agents: unknown): Promise<void>;
  /** The only skills that the model may load; null: all. Set by `initialize`. */
  enabledSkills: readonly string[] | null;
  /** What an agent of this session begins with that is its own. */
  newMind(spec: MindSpec): Mind;
  /** What becomes of work that is left when the input has ended. */
  readonly endPolicy: { onEnd: 'wait' | 'stop'; waitMs: number };
  /** Whether all that agents say is told, not only their calls and results. */
  forwardsAgentText: boolean;
  /** Whether an interrupt leaves agents in the background alone, because the host can stop each. Set by `initialize`. */
  interruptSparesTasks: boolean;
  /** Gives the session's plan its name; from then on it is in the envelope of every entry. */
  namePlan(): void;
  /** Says something that is worth saying once in a session. */
  warnOnce(text: string): void;
  /** Whether answers are told while they grow; changed by `set_partial_messages`. */
  partials: boolean;
  /** Whether the run must be repeatable line by line. */
  readonly ordered: boolean;
  readonly replayUserMessages: boolean;
  readonly replayHistory: boolean;
  readonly toolSession: ToolSession;
  /** The config home, where a kept session leaves more than its transcript; null: nowhere. */
  readonly home: string | null;
  /** The same, whether or not the session is kept. */
  readonly configHome: string | null;
  /** What earlier processes of the session had in the background; null for a new one. */
  readonly leftTasks: LeftTasks | null;
  /** What confines commands, if anything does. */
  readonly sandbox: SessionSandbox;
  /** The same for another workspace: whoever opens it closes it. */
  sandboxIn(workspace: Workspace, policy: () => Policy): Promise<SessionSandbox>;
  /** What the session runs in, if that is a worktree of its own. */
  readonly worktree: SessionWorktree | null;
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
  /** Takes the credentials of this runtime out of what tools found. */
  hideCredentials<T>(found: T): T;
}

/** Which agent of a session it is. */
export interface AgentFacts {
  id: string;
  type: string;
  /** 1: started by the main thread. */
  depth: number;
  /** The call that started it. */
  toolUseId: string;
  description: string;
  /** Its name in the team; absent for one that is in none. */
  teammate?: string;
  /** The MCP servers that its kind names or brings. */
  servers?: AgentDefinition['mcpServers'];
}
