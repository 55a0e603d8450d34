import type { PermissionDenial } from '../../wire/api/usage.ts';
import type { ContextSpec, ConversationContext } from '../conversation/conversation-context.ts';
import type { AgentSource } from '../extensions/agent-kinds.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import type { SessionTeam } from './team.ts';

export interface AgentServiceOptions {
  /** Agents that the launch defines, by name. */
  defined: unknown;
  extensions: ExtensionSet;
  newContext(spec: ContextSpec): ConversationContext;
}

/** The agents of a session: their definitions, messages and denials. */
export class AgentService {
  /** Messages for running agents, by the names that they were given. */
  readonly mailboxes = new Map<string, string[]>();
  /** Calls of agents that were denied since the last result line, which reports them to the host. */
  readonly denials: PermissionDenial[] = [];
  /** Makes the context of a conversation of this session. */
  readonly newContext: AgentServiceOptions['newContext'];
  readonly #extensions: ExtensionSet;
  #defined: unknown;
  #team: SessionTeam | null = null;
  readonly #listeners: (() => Promise<void>)[] = [];

  constructor({ defined, extensions, newContext }: AgentServiceOptions) {
    this.#defined = defined;
    this.#extensions = extensions;
    this.newContext = newContext;
  }

  /** Agents that the launch or `initialize` defines, by name. */
  get defined(): unknown {
    return this.#defined;
  }

  /** The definitions from which the kinds of agents are read now. */
  get sources(): AgentSource {
    return { extensions: this.#extensions.current, hostAgents: this.#defined };
  }

  /** Sets the agents that the host defines, and calls the listeners one after the other. */
  async define(agents: unknown): Promise<void> {
    this.#defined = agents;
    for (const listener of this.#listeners) await listener();
  }

  onDefined(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** The team of the session; null when it cannot have one. */
  get team(): SessionTeam | null {
    return this.#team;
  }

  /** The code that opens a session calls this, once. */
  leadTeam(team: SessionTeam): void {
    if (this.#team) throw new Error('The session leads a team already');
    this.#team = team;
  }
}
