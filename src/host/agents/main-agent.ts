import { mainAgentPrompt } from '../../agent/agent-prompts.ts';
import type { Tool } from '../../tools/tool.ts';
import { HeddleError } from '../../wire/errors.ts';
import { toPermissionMode } from '../../wire/permission-modes.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { extensionHooksAct } from '../hooks.ts';
import type { Parts } from '../parts.ts';
import { useModel } from '../use-model.ts';
import { namedModel, unknownAgent } from './agent-choice.ts';
import { noteTogether } from './agent-isolation.ts';
import { purposeOf } from './agent-notes.ts';
import { forbiddenBy, narrower } from './agent-permissions.ts';
import { namedTools } from './agent-tools.ts';
import { type AgentType, agentTypes, findAgent } from './agent-types.ts';

/** What the main thread runs as (`--agent`). */
export interface MainAgent {
  name: string;
  /** The whole system prompt, in the place of any other. */
  prompt: string;
  /** Whether it may have this tool. */
  keeps(tool: Pick<Tool, 'name'>): boolean;
  /** What a new session begins with, in a turn of its own; null: nothing. */
  initialPrompt: string | null;
  /** Why no turn can begin; null: all is well. */
  problem: string | null;
}

/**
 * Makes the main thread the agent that the launch names. Its definition narrows the session and never opens it; a model
 * that the launch names goes before that of the agent. Rejects with `invalid_option` for a name that nobody has; where an
 * `initialize` may still bring it, turns end in that error until one does.
 */
export async function becomeAgent(parts: Parts, launch: RunConfig): Promise<void> {
  const { agent: name } = launch;
  if (name === undefined) return;
  const types = agentTypes(parts);
  const type = findAgent(types, name);
  if (!type) {
    const problem = `--agent: ${unknownAgent(types, name)}`;
    if (launch.inputFormat !== 'stream-json') throw new HeddleError('invalid_option', problem);
    parts.mainAgent = { name, prompt: '', keeps: () => true, initialPrompt: null, problem };
    return;
  }
  const named = namedTools(type.definition);
  const servers = type.definition.mcpServers ? await import('./agent-servers.ts') : null;
  const isOwn = servers?.isBroughtBy(type);
  for (const problem of named.problems(parts.tools)) parts.warnOnce(`The agent ${type.name}: ${problem}`);
  if (launch.worktree === undefined) noteTogether(parts, type, 'as the main thread; --worktree gives the session one');
  const { purpose, notes } = await purposeOf(parts, type);
  const isForNotes = (name: string) => notes?.tools.includes(name) === true;
  const wants = (name: string) => isOwn?.(name) || isForNotes(name) || (named.wants(name) ?? true);
  parts.notes = notes;
  parts.mainAgent = {
    name: type.name,
    prompt: mainAgentPrompt(purpose),
    keeps: ({ name }) => wants(name) && !named.refuses(name),
    initialPrompt: parts.transcript.hasPast ? null : type.definition.initialPrompt?.trim() || null,
    problem: null,
  };
  if (parts.mainAgent.initialPrompt !== null) parts.wake();
  await parts.remakeTools();
  await takeHooks(parts, type);
  await servers?.takeServers(parts, type);
  narrowMode(parts, type);
  forbid(parts, type);
  const model = namedModel(parts, type.definition.model);
  if (model === null || launch.model !== undefined) return;
  await useModel(parts, model);
  parts.launchModel = model;
}

/** Where the main thread is the agent, all that the session does is what it does. */
async function takeHooks(parts: Parts, { hooks }: AgentType): Promise<void> {
  if (!hooks || !extensionHooksAct(parts.configuration.loaded.layers)) return;
  const opened = await parts.openHooks();
  opened.remove(hooks.source.scope);
  opened.add(hooks.given, hooks.source);
}

function forbid({ permissions }: Parts, type: AgentType): void {
  const rules = forbiddenBy(type);
  if (rules.length > 0) permissions.forbid(rules);
}

function narrowMode({ permissions, warnOnce }: Parts, { name, definition }: AgentType): void {
  const wanted = toPermissionMode(definition.permissionMode ?? '');
  const { mode } = permissions.policy;
  if (!wanted || wanted === mode) return;
  if (narrower(mode, wanted) === wanted) permissions.setMode(wanted);
  else warnOnce(`The agent ${name} asks for the mode ${wanted}, which is more open than ${mode}: it is not used`);
}
