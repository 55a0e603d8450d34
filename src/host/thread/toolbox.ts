import { proxyAuthorization, proxyFor } from '../../model/http/proxy.ts';
import { isReadOnlyCommand } from '../../permissions/commands/read-only-commands.ts';
import type { AgentToolOptions } from '../../tools/agents/agent.ts';
import { teamTools } from '../../tools/agents/team-tools.ts';
import { builtinTools } from '../../tools/builtin-tools.ts';
import { createRegistry, type Deferral, type Registry } from '../../tools/registry.ts';
import { taskTools } from '../../tools/task-list/task-tools.ts';
import type { Tool } from '../../tools/tool.ts';
import { createToolSearchTool, TOOL_SEARCH, toolsToDefer } from '../../tools/tool-search.ts';
import { askUserTool } from '../../tools/user/ask-user.ts';
import { createWebFetchTool } from '../../tools/web/web-fetch.ts';
import { webSearchTool } from '../../tools/web/web-search.ts';
import type { Logger } from '../../util/runtime.ts';
import { isOn } from '../../util/text/setting-text.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';
import type { StructuredSetting } from '../models/output-schema.ts';
import { structuredSetting } from '../models/output-schema.ts';
import { noteMissing } from '../permissions/mistyped-tools.ts';
import { permissionNotes } from '../permissions/permission-warnings.ts';
import { existingTools, missingTools } from '../permissions/session-permissions.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';

export interface SessionToolsOptions {
  config: RunConfig;
  env: Env;
  /** Tools that the permissions remove at the launch do not exist. */
  permissions: Permissions;
  /** Whether the host answers permission questions. */
  asksHost: boolean;
  /** The provider of the session's first model: some providers can search the web. */
  provider: string;
  /** The tool that loads skills; null while there are none. */
  skill(): Promise<Tool | null>;
  /** The description of the agents that the model can start now. */
  agents(): AgentToolOptions;
}

/** Makes the registry of a session from its tools and these parts. Tools that `before` had loaded stay loaded. */
export type MakeRegistry = (parts?: RegistryParts) => Promise<Registry>;

export interface RegistryParts {
  /** Tools of the host's program and of MCP servers. */
  servers?: readonly Tool[];
  more?: readonly Tool[];
  before?: Registry;
  /** Whether the agent that the session runs as may have a tool; absent: it may have all. */
  keeps?: ((tool: Tool) => boolean) | undefined;
}

/** Decides which tools a session has: Heddle's, as far as the launch names them, then those of the engine. */
export async function sessionTools(engine: Engine, options: SessionToolsOptions): Promise<MakeRegistry> {
  const { config, env, permissions, asksHost, provider, skill, agents } = options;
  const { policy } = permissions;
  const given = {
    isReadOnly: isReadOnlyCommand,
    canDetach: config.allowDetach === true,
    askUser: asksHost ? askUserTool : null,
    webFetch: createWebFetchTool({ proxyFor, proxyAuthorization }),
    webSearch: provider === 'anthropic' ? webSearchTool : null,
    // Null: the session keeps a list with TodoWrite (ruling K37).
    tasks: isOn(env.CLAUDE_CODE_ENABLE_TASKS) ? taskTools : null,
    teams: agents().hasTeams ? teamTools : null,
  };
  // Made again each time: the description names the agents, and the host may define agents with `initialize`.
  const makeBuiltin = async () => builtinTools({ ...given, skill: await skill(), agents: agents() });
  const builtin = await makeBuiltin();
  const custom = await engine.customTools();
  const toolNames = [...[...builtin, ...custom].map(({ name }) => name), ...(config.hostTools ?? [])];
  const missing = missingTools([...builtin, ...custom], config);
  if (missing.length > 0) noteMissing(missing, toolNames, engine.runtime.log);
  notePermissions(permissions, { asksHost, toolNames, log: engine.runtime.log });
  return async ({ servers = [], more = [], before, keeps = () => true } = {}) => {
    // `--tools` selects among Heddle's tools. The engine's tools exist unless a deny rule removes them.
    const ours = existingTools(await makeBuiltin(), config, policy).filter(keeps);
    const given = existingTools([...custom, ...servers], { ...config, tools: undefined }, policy).filter(keeps);
    const deferral = given.length === 0 ? undefined : deferralOf(given, options);
    const isLoaded = (name: string) => before?.get(name) !== undefined && !before.deferred().includes(name);
    const left = deferral && { ...deferral, names: deferral.names.filter((name) => !isLoaded(name)) };
    return createRegistry([...ours, ...given, ...more], left);
  };
}

/** Warns of rules that have no effect, now and whenever the rules change. */
function notePermissions(permissions: Permissions, { asksHost, toolNames, log }: NotedTools): void {
  const notes = permissionNotes(toolNames, log);
  permissions.on('rules', () => notes.rules(permissions.policy));
  const { policy } = permissions;
  if (policy.allow.length + policy.ask.length + policy.deny.length > 0) notes.launch(policy);
  if (asksHost) notes.asking(policy);
}

interface NotedTools {
  asksHost: boolean;
  toolNames: readonly string[];
  log: Logger;
}

/** Nothing is deferred where the tool that finds it again is taken away. */
function deferralOf(tools: readonly Tool[], options: SessionToolsOptions): Deferral | undefined {
  if (existingTools([{ name: TOOL_SEARCH }], options.config, options.permissions.policy).length === 0) return undefined;
  return { names: toolsToDefer(tools, options.env.ENABLE_TOOL_SEARCH), search: createToolSearchTool };
}

/** The tools of a thread. */
export interface Toolbox {
  readonly registry: Registry;
  /** The schema of the answers; null: any answer is valid. */
  readonly output: StructuredSetting | null;
  /** Adds tools until the returned function is called: the servers of an agent, while it works. */
  lend(tools: readonly Tool[]): () => void;
}

export interface SessionToolboxOptions {
  makeRegistry: MakeRegistry;
  /** The tools of MCP servers. */
  ofServers(): readonly Tool[];
  /** Whether the role of the main thread may have a tool; undefined: it may have all. */
  keeps(): RegistryParts['keeps'];
}

/** The tools of the main thread, which are made again when servers, skills, agents or the output schema change. */
export class SessionToolbox implements Toolbox {
  readonly #options: SessionToolboxOptions;
  #registry: Registry;
  #output: StructuredSetting | null = null;
  #ofHost: readonly Tool[] = [];

  constructor(registry: Registry, options: SessionToolboxOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  get registry(): Registry {
    return this.#registry;
  }

  get output(): StructuredSetting | null {
    return this.#output;
  }

  /** Makes the registry again from the current tools. */
  async rebuild(): Promise<void> {
    const { makeRegistry, ofServers, keeps } = this.#options;
    this.#registry = await makeRegistry({
      servers: [...this.#ofHost, ...ofServers()],
      more: this.#output ? [this.#output.tool] : [],
      before: this.#registry,
      keeps: keeps(),
    });
  }

  /** Takes a schema, or its JSON text. Rejects with `invalid_option` when it is invalid. */
  async setOutputSchema(schema: unknown): Promise<void> {
    this.#output = await structuredSetting(schema);
    await this.rebuild();
  }

  /** Adds these tools of the host's program to all others, instead of those that were set before. */
  async setHostTools(tools: readonly Tool[]): Promise<void> {
    this.#ofHost = tools;
    await this.rebuild();
  }

  lend(tools: readonly Tool[]): () => void {
    const before = this.#registry;
    this.#registry = before.plus(tools);
    return () => {
      this.#registry = before;
    };
  }
}
