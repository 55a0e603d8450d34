import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { TurnTriggers } from '../background/turn-triggers.ts';
import type { UnreportedTasks } from '../background/unreported-tasks.ts';
import type { Late } from '../engine/lazy.ts';
import type { Telemetry } from '../engine/telemetry.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { Configuration } from '../launch/configuration.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { HostLink } from '../link/host-link.ts';
import type { HostPreferences } from '../link/host-preferences.ts';
import type { SessionServers } from '../mcp/open-servers.ts';
import type { ModelCatalog } from '../models/known-models.ts';
import type { AgentService } from './agent-service.ts';

/** Where a session stores files in addition to its transcript. */
export interface SessionStorage {
  /** Null: there is no config home. */
  readonly configHome: string | null;
  /** The config home of a saved session; null: the session writes no files. */
  readonly home: string | null;
}

/** Work that runs in addition to the conversation. */
export interface BackgroundWork {
  readonly tasks: BackgroundTasks;
  /** Background tasks of earlier processes of the session; null for a new session. */
  readonly earlier: UnreportedTasks | null;
}

/** Everything that lives as long as the session. The main thread and all agents share it by reference. */
export class SessionServices {
  readonly id: string;
  readonly runtime: Runtime;
  readonly options: SessionOptions;
  readonly preferences: HostPreferences;
  readonly storage: SessionStorage;
  readonly link: HostLink;
  readonly triggers: TurnTriggers;
  readonly configuration: Configuration;
  readonly models: ModelCatalog;
  readonly extensions: ExtensionSet;
  readonly hooks: Late<SessionHooks>;
  readonly mcp: SessionServers;
  readonly agents: AgentService;
  readonly background: BackgroundWork;
  /** Null when telemetry is off. */
  readonly telemetry: Telemetry | null;
  /** Replaces the credentials of this runtime in the outputs of tools. */
  readonly hideCredentials: <T>(found: T) => T;
  /** Logs each text as a warning, once. */
  readonly warnOnce: (text: string) => void;
  /** Private, so that the compiler does not accept a literal or a spread copy as `SessionServices`. */
  readonly #openedAt: number;

  constructor(made: Omit<SessionServices, 'openedAt'>) {
    this.id = made.id;
    this.runtime = made.runtime;
    this.options = made.options;
    this.preferences = made.preferences;
    this.storage = made.storage;
    this.link = made.link;
    this.triggers = made.triggers;
    this.configuration = made.configuration;
    this.models = made.models;
    this.extensions = made.extensions;
    this.hooks = made.hooks;
    this.mcp = made.mcp;
    this.agents = made.agents;
    this.background = made.background;
    this.telemetry = made.telemetry;
    this.hideCredentials = made.hideCredentials;
    this.warnOnce = made.warnOnce;
    this.#openedAt = made.runtime.clock.now();
  }

  /** By the clock of `runtime`. */
  get openedAt(): number {
    return this.#openedAt;
  }
}
