import type { Ask } from '../../agent/calls/gate.ts';
import type { AgentCall } from '../../tools/agents/agents-port.ts';
import type { AskModel } from '../../tools/model-question.ts';
import type { ServiceLookup } from '../../tools/port.ts';
import type { ToolContext, ToolOutput } from '../../tools/tool.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { TurnScope } from '../extensions/turn-scope.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { ModelSettings } from '../models/model-settings.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import type { Identity } from './identity.ts';
import type { SessionServices } from './services.ts';
import { type Budget, createAskModel, createToolServices, type ToolServicesOptions } from './tool-services.ts';
import type { SessionToolbox, Toolbox } from './toolbox.ts';
import type { Workplace } from './workplace.ts';

/** Answers a call of the Task tool for the calling thread. The calls of one thread begin in their order. */
export type StartAgent = (caller: Thread, call: AgentCall, context: ToolContext, inTurn: InTurn) => Promise<ToolOutput>;

/** Runs functions one after the other. */
export type InTurn = ReturnType<typeof oneAtATime>;

/** The parts of a thread. */
export interface ThreadOptions<Tools extends Toolbox> {
  services: SessionServices;
  identity: Identity;
  conversation: Conversation;
  model: ModelSettings;
  workplace: Workplace;
  permissions: Permissions;
  toolbox: Tools;
  budget: Budget;
  hooks: Lazy<SessionHooks>;
  scope: TurnScope;
  /** Whether permission questions are denied without asking, because the thread works for a hook. */
  asksNobody?: boolean;
  startAgent: StartAgent;
  tools: Omit<ToolServicesOptions, 'callAgent'>;
}

/** One running conversation: the main thread of a session, an agent, or a teammate. */
export class Thread<Tools extends Toolbox = Toolbox> {
  readonly services: SessionServices;
  readonly identity: Identity;
  readonly conversation: Conversation;
  /** The model that answers, and the settings of its requests. */
  readonly model: ModelSettings;
  /** The directory, files and sandbox of the tools. */
  readonly workplace: Workplace;
  /** The permissions of the tools. */
  readonly permissions: Permissions;
  /** The tools of the thread. */
  readonly toolbox: Tools;
  readonly budget: Budget;
  /** The hooks of the session, as they apply to this thread. */
  readonly hooks: Lazy<SessionHooks>;
  /** The state of the running turn. */
  readonly scope: TurnScope;
  /** Starts agents for this thread and its agents. */
  readonly startAgent: StartAgent;
  /** The services that all tool calls of the thread share, by port. */
  readonly service: ServiceLookup;
  /** Calls a model outside the conversation; the thread pays for the answer. */
  readonly askModel: AskModel;
  /** Private, so that the compiler does not accept a literal or a spread copy as a `Thread`. */
  readonly #asksNobody: boolean;

  constructor(made: ThreadOptions<Tools>) {
    this.services = made.services;
    this.identity = made.identity;
    this.conversation = made.conversation;
    this.model = made.model;
    this.workplace = made.workplace;
    this.permissions = made.permissions;
    this.toolbox = made.toolbox;
    this.budget = made.budget;
    this.hooks = made.hooks;
    this.scope = made.scope;
    this.#asksNobody = made.asksNobody === true;
    this.startAgent = made.startAgent;
    const inTurn = oneAtATime();
    this.askModel = createAskModel(this);
    this.service = createToolServices(this, {
      ...made.tools,
      callAgent: (call, context) => made.startAgent(this, call, context, inTurn),
    });
  }

  /** Asks the host or tool that answers permission questions; null when there is none. */
  get ask(): Ask | null {
    return this.#asksNobody ? null : this.services.link.ask;
  }

  /** The context for one tool call. */
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext {
    const { workspace, files } = this.workplace;
    return {
      workspace,
      files,
      toolUseId,
      runtime: this.services.runtime,
      env: this.workplace.environment(),
      spillDir: this.conversation.transcript.spillDir,
      signal,
      service: this.service,
    };
  }
}

/** The thread that answers the user. Its toolbox is rebuilt when servers, skills or agents change. */
export type MainThread = Thread<SessionToolbox>;
