import { mainAgentPrompt } from '../../agent/messages/agent-prompts.ts';
import type { Tool } from '../../tools/tool.ts';
import { HeddleError } from '../../wire/errors.ts';
import { toPermissionMode } from '../../wire/permission-modes.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Lazy } from '../engine/lazy.ts';
import { type AgentType, agentTypes, findAgent, unknownAgent } from '../extensions/agent-kinds.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import { extensionHooksAct } from '../launch/hook-settings.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';
import { stricterMode } from '../permissions/narrowed-permissions.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import { useModel } from '../thread/switch-model.ts';
import type { MainThread } from '../thread/thread.ts';
import { noteTogether } from './agent-isolation.ts';
import { namedModel } from './agent-model.ts';
import { purposeOf } from './agent-notes.ts';
import { denyRulesOf } from './agent-permissions.ts';
import { isBroughtBy, takeServers } from './agent-servers.ts';
import { namedTools } from './agent-tools.ts';

/**
 * Makes the main thread the agent that the launch names.
 * - The agent's definition restricts the session and never allows more.
 * - A model that the launch names wins over that of the agent.
 * - Rejects with `invalid_option` for an unknown name. While `initialize` may still define the agent, turns end with
 *   that error instead.
 */
export async function runMainThreadAs(main: MainThread, launch: RunConfig): Promise<void> {
  const { agent: name } = launch;
  if (name === undefined) return;
  const { services, identity, toolbox, conversation } = main;
  const types = agentTypes(services.agents.sources);
  const type = findAgent(types, name);
  if (!type) {
    const problem = `--agent: ${unknownAgent(types, name)}`;
    if (launch.inputFormat !== 'stream-json') throw new HeddleError('invalid_option', problem);
    identity.become({ name, prompt: '', keeps: () => true, initialPrompt: null, problem });
    return;
  }
  const named = namedTools(type.definition);
  const isOwn = type.definition.mcpServers ? isBroughtBy(type) : undefined;
  for (const problem of named.problems(toolbox.registry)) services.warnOnce(`The agent ${type.name}: ${problem}`);
  if (launch.worktree === undefined) {
    noteTogether(services, type, 'as the main thread; --worktree gives the session one');
  }
  const { purpose, notes } = await purposeOf(main, type);
  const isForNotes = (name: string) => notes?.tools.includes(name) === true;
  const wants = (name: string) => isOwn?.(name) || isForNotes(name) || (named.wants(name) ?? true);
  const initialPrompt = conversation.transcript.isResumed ? null : type.definition.initialPrompt?.trim() || null;
  const keeps = ({ name }: Pick<Tool, 'name'>) => wants(name) && !named.refuses(name);
  identity.become({ name: type.name, prompt: mainAgentPrompt(purpose), keeps, initialPrompt, problem: null }, notes);
  if (initialPrompt !== null) services.triggers.wake();
  await toolbox.rebuild();
  await takeHooks(services.hooks, services.configuration.loaded, type);
  if (type.definition.mcpServers) await takeServers(services.mcp, type);
  narrowMode(main.permissions, services.warnOnce, type);
  const rules = denyRulesOf(type);
  if (rules.length > 0) main.permissions.forbid(rules);
  const model = namedModel(main.model, type.definition.model);
  if (model === null || launch.model !== undefined) return;
  await useModel(main, model);
  main.model.setLaunchModel(model);
}

/** The hooks of the agent's kind apply to the whole session. */
async function takeHooks(
  sessionHooks: Lazy<SessionHooks>,
  { layers }: Pick<LoadedSettings, 'layers'>,
  { hooks: brought }: AgentType,
): Promise<void> {
  if (!brought || !extensionHooksAct(layers)) return;
  const hooks = await sessionHooks.open();
  hooks.remove(brought.source.scope);
  hooks.add(brought.raw, brought.source);
}

function narrowMode(permissions: Permissions, warnOnce: (text: string) => void, { name, definition }: AgentType): void {
  const wanted = toPermissionMode(definition.permissionMode ?? '');
  const { mode } = permissions.policy;
  if (!wanted || wanted === mode) return;
  if (stricterMode(mode, wanted) === wanted) permissions.setMode(wanted);
  else warnOnce(`The agent ${name} asks for the mode ${wanted}, which is more open than ${mode}: it is not used`);
}
