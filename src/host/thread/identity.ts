import type { Policy } from '../../permissions/policy.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';

/** Which agent of a session a thread is. */
export interface AgentInfo {
  id: string;
  type: string;
  /** 1: started by the main thread. */
  depth: number;
  /** The call that started it. */
  toolUseId: string;
  description: string;
  /** Its name in the team; absent for an agent outside of a team. */
  teammate?: string;
  /** The MCP servers that its kind names or brings. */
  servers?: AgentDefinition['mcpServers'];
}

/** The role of the main thread (`--agent`). */
export interface MainThreadRole {
  name: string;
  /** The whole system prompt, which replaces any other. */
  prompt: string;
  /** Whether the role may have this tool. */
  keeps(tool: Pick<Tool, 'name'>): boolean;
  /** The prompt that a new session begins with, in its own turn; null: there is none. */
  initialPrompt: string | null;
  /** Why no turn can begin; null: turns can begin. */
  problem: string | null;
}

/** The notes of a kind of agent (`memory`), as one agent has them. */
export interface AgentNotes {
  /** The start of the notes, which the agent gets with its task; null: there are none yet. */
  reminder: string | null;
  /** Tools for the notes, in addition to those that the agent's kind names. */
  tools: readonly string[];
  judge: NonNullable<Policy['notes']>;
}

/** Identifies a thread: the main one, perhaps in the role of an agent, or an agent of the session. */
export class Identity {
  /** Null on the main thread. */
  readonly agent: AgentInfo | null;
  #role: MainThreadRole | null;
  #notes: AgentNotes | null;

  constructor(agent: AgentInfo | null = null, { role = null, notes = null }: Partial<Role> = {}) {
    this.agent = agent;
    this.#role = role;
    this.#notes = notes;
  }

  /** The role of the main thread; null: it has none. A fork has the role of the thread that it comes from. */
  get role(): MainThreadRole | null {
    return this.#role;
  }

  /** The notes of the agent; null: it keeps none. */
  get notes(): AgentNotes | null {
    return this.#notes;
  }

  /** Gives the main thread the role of an agent. */
  become(role: MainThreadRole, notes: AgentNotes | null = this.#notes): void {
    this.#role = role;
    this.#notes = notes;
  }

  /** Returns the first prompt of the main thread's role, once; null when there is none, or it was taken already. */
  takeInitialPrompt(): string | null {
    const prompt = this.#role?.initialPrompt ?? null;
    if (this.#role) this.#role.initialPrompt = null;
    return prompt;
  }
}

interface Role {
  role: MainThreadRole | null;
  notes: AgentNotes | null;
}
