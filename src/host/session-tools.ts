import { proxyAuthorization, proxyFor } from '../model/proxy.ts';
import type { Policy } from '../permissions/policy.ts';
import { isReadOnlyCommand } from '../permissions/read-only-commands.ts';
import { builtinTools } from '../tools/builtin.ts';
import { createRegistry, type Deferral, type Registry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { createWebFetchTool } from '../tools/web-fetch.ts';
import { webSearchTool } from '../tools/web-search.ts';
import { isOn } from '../util/setting-text.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import { existingTools, missingTools } from './permissions.ts';

export interface SessionToolsOptions {
  config: RunConfig;
  env: Env;
  /** That of the launch: what it takes away does not exist. */
  policy: Policy;
  /** Whether somebody at the other end answers questions. */
  asksHost: boolean;
  /** Whose model the session starts with: some can search the web. */
  provider: string;
}

/** Makes a session's registry of its tools and what it brings along; tools that `before` had loaded stay loaded. */
export type MakeRegistry = (more?: readonly Tool[], before?: Registry) => Registry;

/** Finds out which tools a session has: ours, as far as it wants them, then those of the engine. */
export async function sessionTools(engine: Engine, options: SessionToolsOptions): Promise<MakeRegistry> {
  const { config, env, policy, asksHost, provider } = options;
  const builtin = builtinTools({
    isReadOnly: isReadOnlyCommand,
    askUser: asksHost ? (await import('../tools/ask-user.ts')).askUserTool : null,
    webFetch: createWebFetchTool({ proxyFor, proxyAuthorization }),
    webSearch: provider === 'anthropic' ? webSearchTool : null,
    tasks: await taskTools(env),
  });
  const custom = await engine.customTools();
  for (const name of missingTools([...builtin, ...custom], config)) {
    engine.runtime.log('warn', `--tools names ${name}, which does not exist here`);
  }
  const toolNames = [...builtin, ...custom].map(({ name }) => name);
  if (asksHost || policy.allow.length + policy.ask.length + policy.deny.length > 0) {
    const { notePermissions } = await import('./permission-notes.ts');
    notePermissions({ policy, asksHost, toolNames }, engine.runtime.log);
  }
  // `--tools` chooses among ours. What the engine was given is there, unless a deny rule takes it away.
  const ours = existingTools(builtin, config, policy);
  const given = existingTools(custom, { ...config, tools: undefined }, policy);
  const deferral = given.length === 0 ? undefined : await deferralOf(given, options);
  return (more = [], before) => {
    const left = deferral && before ? { ...deferral, names: before.deferred() } : deferral;
    return createRegistry([...ours, ...given, ...more], left);
  };
}

/** Nothing is deferred where the tool that finds it again is taken away. */
async function deferralOf(tools: readonly Tool[], options: SessionToolsOptions): Promise<Deferral | undefined> {
  const { createToolSearchTool, TOOL_SEARCH, toolsToDefer } = await import('../tools/tool-search.ts');
  if (existingTools([{ name: TOOL_SEARCH }], options.config, options.policy).length === 0) return undefined;
  return { names: toolsToDefer(tools, options.env.ENABLE_TOOL_SEARCH), search: createToolSearchTool };
}

/** Null: the session keeps a list with TodoWrite (ruling K37). */
async function taskTools({ CLAUDE_CODE_ENABLE_TASKS: setting }: Env): Promise<readonly Tool[] | null> {
  if (!isOn(setting)) return null;
  return (await import('../tools/task-tools.ts')).taskTools;
}
