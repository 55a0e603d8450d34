import { createRecorder } from '../../agent/messages/recorder.ts';
import type { SessionKey } from '../../sessions/store.ts';
import { createChain } from '../../sessions/tree/chain.ts';
import { repairEntries } from '../../sessions/tree/repair-calls.ts';
import { createShellDirectory } from '../../tools/shell/shell-directory.ts';
import type { Tool } from '../../tools/tool.ts';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { WIRE_VERSION } from '../../wire/version.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { SessionTitle } from '../conversation/session-title.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import { skillTool } from '../extensions/skill-tool.ts';
import { TurnScope } from '../extensions/turn-scope.ts';
import { extensionHooksAct } from '../launch/hook-settings.ts';
import type { ModelSettings, SessionSettings } from '../models/model-settings.ts';
import { readFilter } from '../permissions/read-filter.ts';
import { type Permissions, threadPolicy } from '../permissions/thread-permissions.ts';
import type { StoredHistory } from '../resume/stored-history.ts';
import { expansionIn } from '../thread/expansion-dependencies.ts';
import { type AgentInfo, type AgentNotes, Identity } from '../thread/identity.ts';
import { Thread } from '../thread/thread.ts';
import type { Workplace } from '../thread/workplace.ts';
import type { AgentWorktree } from '../worktrees/agent-worktree.ts';
import { AgentHookView, NO_HOOKS } from './agent-hooks.ts';
import { agentLimits } from './agent-limits.ts';
import { denyRulesOf, parseModes } from './agent-permissions.ts';
import { childTools } from './child-tools.ts';

export interface AgentSpec {
  info: AgentInfo;
  type: AgentType;
  /** Null: it is a fork, which has the prompt of its caller. */
  systemPrompt: string | null;
  selected: SelectedModel;
  maxTurns: number | undefined;
  /** Null: it keeps no notes. */
  notes: AgentNotes | null;
  /** The mode that the call asks for, in addition to that of the agent's kind. */
  mode?: string | undefined;
  /** The history that it resumes; null for a new agent. */
  history: StoredHistory | null;
  /** The worktree that it works in; absent: it works in the directory of its caller. */
  worktree?: AgentWorktree | null;
  /** Whether it works for a hook: its calls trigger no hooks and no questions, and it loads no skills. */
  isForHook?: true;
}

/**
 * The thread of an agent. It shares the services of the session with the thread that it works for, and has a
 * conversation, a prompt, tools and narrower permissions of its own.
 */
export async function openAgentThread(parent: Thread, spec: AgentSpec): Promise<Thread> {
  const { info, type, selected, notes, systemPrompt } = spec;
  const { services } = parent;
  const { definition } = type;
  const isFork = systemPrompt === null;
  const modes = parseModes(definition.permissionMode, spec.mode);
  const deny = denyRulesOf(type);
  const permissions = parent.permissions.forAgent({ modes, deny, moved: spec.worktree?.moved });
  const workplace = await agentWorkplace(parent.workplace, permissions, spec.worktree ?? null);
  const recorded = await openRecorded(parent, workplace, spec);
  const scope = new TurnScope();
  const agent = { ...info, ...(definition.mcpServers && { servers: definition.mcpServers }) };
  const identity = new Identity(agent, { role: isFork ? parent.identity.role : null, notes });
  permissions.addSource(threadPolicy({ shell: workplace.shell, sandbox: workplace.sandbox, scope, identity }));
  const mayStart = info.depth < agentLimits(workplace.environment()).maxDepth;
  const hooks = new AgentHookView(parent.hooks);
  const hooksMet = spec.isForHook ? NO_HOOKS : hooks;
  const own = type.hooks && extensionHooksAct(services.configuration.loaded.layers) ? type.hooks : null;
  if (own && !spec.isForHook) await parent.hooks.open();
  const skills = await skillsOf(services.extensions, info, expansionIn({ services, scope, hooks: hooksMet }));
  const isLasting = info.teammate !== undefined;
  const { warnOnce } = services;
  const toolbox = childTools(parent.toolbox, { type, isFork, mayStart, skills, notes, isLasting, warnOnce });
  const effort = typeof definition.effort === 'string' ? { effort: definition.effort } : {};
  const model = parent.model.forAgent({ selected, settings: agentSettings(parent.model, systemPrompt), ...effort });
  const { workspace, sandbox, gitBranch } = workplace;
  const context = services.agents.newContext({
    selected: () => selected,
    history: { reminders: spec.history?.reminders ?? [], lastTokens: spec.history?.lastTokens ?? 0 },
    notes: () => notes,
    ...(!isFork && { omitsMemory: definition.omitClaudeMd, compactAtMost: positive(definition.autoCompactWindow) }),
    ...{ workspace, sandbox, gitBranch, readableFilter: () => readFilter(permissions) },
  });
  const { inForce } = parent.conversation.title;
  const title = new SessionTitle({ pending: null, inForce, recorder: recorded.recorder });
  const { id: sessionId, runtime } = services;
  const conversation = new Conversation({
    ...recorded,
    ...{ sessionId, runtime, context, title, permissions, hooks: hooksMet },
  });
  const limits = { ...parent.budget.limits, maxTurns: spec.maxTurns, maxDurationMs: undefined };
  const budget = { limits, ledger: parent.budget.ledger.child() };
  const { background } = services;
  hooks.wrapWith({ agent: info, own, permissions, workplace, toolbox, conversation, background });
  return new Thread({
    ...{ services, identity, conversation, model, workplace, permissions, toolbox, budget, scope },
    hooks: hooksMet,
    asksNobody: spec.isForHook === true,
    startAgent: parent.startAgent,
    tools: { env: {}, todos: { current: [] }, tasksDir: null, parent: parent.service },
  });
}

/** The directory of the agent: its worktree, or the directory of its caller. */
async function agentWorkplace(
  parent: Workplace,
  permissions: Permissions,
  worktree: AgentWorktree | null,
): Promise<Workplace> {
  const workspace = worktree?.workspace ?? parent.workspace;
  return {
    workspace,
    files: new Map(),
    sandbox: worktree ? await parent.sandboxIn(workspace, () => permissions.policy) : parent.sandbox,
    guard: parent.guard,
    shell: createShellDirectory({
      start: workspace.cwd,
      isInside: (path) => isInsideAny(permissions.policy.roots, path),
    }),
    checkpoints: parent.checkpoints,
    plan: { ensureName: () => {}, file: () => parent.plan.file() },
    gitBranch: worktree ? worktree.branch : parent.gitBranch,
    worktree: parent.worktree,
    registeredRoots: parent.registeredRoots,
    project: parent.project,
    runOutside: (spec, signal) => parent.runOutside(spec, signal),
    environment: () => parent.environment(),
    sandboxIn: (space, policy) => parent.sandboxIn(space, policy),
  };
}

/** The agent's own transcript, and the part of its conversation that is recorded already. */
async function openRecorded(
  { conversation: { transcript }, services: { id: sessionId, runtime } }: Pick<Thread, 'conversation' | 'services'>,
  { workspace, gitBranch }: Workplace,
  { info, history }: AgentSpec,
): Promise<Pick<ConversationOptions, 'transcript' | 'recorder' | 'messages'>> {
  const key: SessionKey = { ...transcript.key, agentId: info.id };
  const chain = createChain({
    cwd: workspace.cwd,
    sessionId,
    version: WIRE_VERSION,
    gitBranch: gitBranch ?? 'HEAD',
    userType: 'external',
    isSidechain: true,
    agentId: info.id,
    parentUuid: history?.leaf ?? null,
    clock: runtime.clock,
  });
  const repairs = history ? repairEntries(history.unpaired, chain, () => runtime.ids.uuid()) : [];
  if (repairs.length > 0) await transcript.store.append(key, repairs);
  return {
    transcript: { ...transcript, key, gitBranch, isResumed: history !== null, path: [], report: null, deferred: [] },
    recorder: createRecorder({ key, store: transcript.store, chain }),
    messages: history?.messages(repairs) ?? [],
  };
}

/** The skill tool of an agent. A teammate has it even without skills, because skills may be added later. */
async function skillsOf(
  extensions: ExtensionSet,
  { teammate }: AgentInfo,
  expansion: ReturnType<typeof expansionIn>,
): Promise<Tool[]> {
  if (extensions.current.skills.length === 0 && teammate === undefined) return [];
  return [skillTool(extensions, expansion)];
}

/** The host's thinking settings and tool aliases apply to every agent. Only a fork has the host's prompts. */
function agentSettings({ settings }: ModelSettings, systemPrompt: string | null): SessionSettings {
  if (systemPrompt === null) return settings;
  const { systemPrompt: _prompt, sharedBlocks: _blocks, appendSystemPrompt: _append, ...shared } = settings;
  return { ...shared, systemPrompt };
}

function positive(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
}
