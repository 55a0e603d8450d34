import { proxyAuthorization, proxyFor } from '../model/proxy.ts';
import { isReadOnlyCommand } from '../permissions/read-only-commands.ts';
import type { AgentToolOptions } from '../tools/agent.ts';
import { builtinTools } from '../tools/builtin.ts';
import { createRegistry, type Deferral, type Registry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { createWebFetchTool } from '../tools/web-fetch.ts';
import { webSearchTool } from '../tools/web-search.ts';
import { madeOnce } from '../util/made-once.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { isOn } from '../util/setting-text.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import { existingTools, missingTools, type Permissions } from './permissions.ts';

export interface SessionToolsOptions {
  config: RunConfig;
  env: Env;
  /** What they take away at the launch does not exist. */
  permissions: Permissions;
  /** Whether somebody at the other end answers questions. */
  asksHost: boolean;
  /** Whose model the session starts with: some can search the web. */
  provider: string;
  /** Loads skills, where there are some now. */
  skill(): Promise<Tool | null>;
  /** What the model is told of the agents that it can start now. */
  agents(): AgentToolOptions;
}

/** Makes a session's registry of its tools and what it brings along; tools that `before` had loaded stay loaded. */
export type MakeRegistry = (parts?: RegistryParts) => Promise<Registry>;

export interface RegistryParts {
  /** Tools of the host's program and of MCP servers. */
  servers?: readonly Tool[];
  more?: readonly Tool[];
  before?: Registry;
  /** Whether the agent that the session runs as may have a tool; absent: it may have all. */
  keeps?: ((tool: Tool) => boolean) | undefined;
}

/** Finds out which tools a session has: ours, as far as it wants them, then those of the engine. */
export async function sessionTools(engine: Engine, options: SessionToolsOptions): Promise<MakeRegistry> {
  const { config, env, permissions, asksHost, provider, skill, agents } = options;
  const { policy } = permissions;
  const given = {
    isReadOnly: isReadOnlyCommand,
    canDetach: config.allowDetach === true,
    askUser: asksHost ? (await import('../tools/ask-user.ts')).askUserTool : null,
    webFetch: createWebFetchTool({ proxyFor, proxyAuthorization }),
    webSearch: provider === 'anthropic' ? webSearchTool : null,
    tasks: await taskTools(env),
    teams: agents().hasTeams ? (await import('../tools/team-tools.ts')).teamTools : null,
  };
  // The host may bring agents with `initialize`, and the model is told of them in the description.
  const makeBuiltin = async () => builtinTools({ ...given, skill: await skill(), agents: agents() });
  const builtin = await makeBuiltin();
  const custom = await engine.customTools();
  const toolNames = [...[...builtin, ...custom].map(({ name }) => name), ...(config.hostTools ?? [])];
  const missing = missingTools([...builtin, ...custom], config);
  if (missing.length > 0) (await import('./mistyped-tools.ts')).noteMissing(missing, toolNames, engine.runtime.log);
  await notePermissions(permissions, { asksHost, toolNames, log: engine.runtime.log });
  return async ({ servers = [], more = [], before, keeps = () => true } = {}) => {
    // `--tools` chooses among ours. What the engine was given is there, unless a deny rule takes it away.
    const ours = existingTools(await makeBuiltin(), config, policy).filter(keeps);
    const given = existingTools([...custom, ...servers], { ...config, tools: undefined }, policy).filter(keeps);
    const deferral = given.length === 0 ? undefined : await deferralOf(given, options);
    const isLoaded = (name: string) => before?.get(name) !== undefined && !before.deferred().includes(name);
    const left = deferral && { ...deferral, names: deferral.names.filter((name) => !isLoaded(name)) };
    return createRegistry([...ours, ...given, ...more], left);
  };
}

/** What says it is loaded with the first rule or host that something could be said of. */
async function notePermissions(permissions: Permissions, { asksHost, toolNames, log }: NotedTools): Promise<void> {
  const load = madeOnce(async () => (await import('./permission-notes.ts')).permissionNotes(toolNames, log));
  permissions.onRulesChange = (policy) => {
    load().then(
      ({ rules }) => rules(policy),
      (error) => log('warn', messageOf(error)),
    );
  };
  const { policy } = permissions;
  if (policy.allow.length + policy.ask.length + policy.deny.length > 0) (await load()).launch(policy);
  if (asksHost) (await load()).asking(policy);
}

interface NotedTools {
  asksHost: boolean;
  toolNames: readonly string[];
  log: Logger;
}

/** Nothing is deferred where the tool that finds it again is taken away. */
async function deferralOf(tools: readonly Tool[], options: SessionToolsOptions): Promise<Deferral | undefined> {
  const { createToolSearchTool, TOOL_SEARCH, toolsToDefer } = await import('../tools/tool-search.ts');
  if (existingTools([{ name: TOOL_SEARCH }], options.config, options.permissions.policy).length === 0) return undefined;
  return { names: toolsToDefer(tools, options.env.ENABLE_TOOL_SEARCH), search: createToolSearchTool };
}

/** Null: the session keeps a list with TodoWrite (ruling K37). */
async function taskTools({ CLAUDE_CODE_ENABLE_TASKS: setting }: Env): Promise<readonly Tool[] | null> {
  if (!isOn(setting)) return null;
  return (await import('../tools/task-tools.ts')).taskTools;
}
