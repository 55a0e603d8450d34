import { createRecorder } from '../../agent/recorder.ts';
import { createChain } from '../../sessions/chain.ts';
import type { SessionKey } from '../../sessions/store.ts';
import type { FileStates } from '../../tools/file-states.ts';
import { WIRE_VERSION } from '../../wire/version.ts';
import { noExtras } from '../extensions.ts';
import { extensionHooksAct, type SessionHooks } from '../hooks.ts';
import type { Chosen } from '../models.ts';
import type { AgentFacts, Parts } from '../parts.ts';
import type { Past } from '../past.ts';
import { createToolSession } from '../tool-session.ts';
import { repairsOf } from '../transcript.ts';
import type { AgentWorktree } from '../worktrees/agent-worktree.ts';
import { agentHooks } from './agent-hooks.ts';
import { agentLimits } from './agent-limits.ts';
import type { AgentNotes } from './agent-notes.ts';
import { agentPermissions, forbiddenBy, modesFrom } from './agent-permissions.ts';
import type { AgentType } from './agent-types.ts';
import { childTools } from './child-tools.ts';

export interface ChildSpec {
  facts: AgentFacts;
  type: AgentType;
  /** Null: it is a fork, which is told the same as the one that it works for. */
  systemPrompt: string | null;
  chosen: Chosen;
  maxTurns: number | undefined;
  /** Null: it keeps none. */
  notes: AgentNotes | null;
  /** A mode that was asked for with the call, beside that of its kind. */
  mode?: string | undefined;
  /** What it goes on from; null for a new one. */
  past: Past | null;
  /** Where it works; absent: where the one works that it works for. */
  worktree?: AgentWorktree | null;
  /** It works for a hook: no hook is asked about what it does, nor anybody else, and it loads no skills. */
  isForHook?: true;
}

/**
 * All that an agent consists of: the parts of the one that it works for, with a conversation, a prompt, tools, a narrower
 * gate and a transcript of its own. What was not named stays shared: the workspace, the servers, the budget, the hooks.
 */
export async function childParts(parent: Parts, spec: ChildSpec): Promise<Parts> {
  const { facts, type, past, chosen, notes, systemPrompt } = spec;
  const isFork = systemPrompt === null;
  const { runtime, transcript } = parent;
  const { definition } = type;
  const modes = modesFrom(definition.permissionMode, spec.mode);
  const { worktree = null } = spec;
  const workspace = worktree?.workspace ?? parent.workspace;
  const gitBranch = worktree ? worktree.branch : transcript.gitBranch;
  const permissions = agentPermissions(parent.permissions, { modes, deny: forbiddenBy(type), moved: worktree?.moved });
  const sandbox = worktree ? await parent.sandboxIn(workspace, () => permissions.policy) : parent.sandbox;
  const key: SessionKey = { ...transcript.key, agentId: facts.id };
  const chain = createChain({
    cwd: workspace.cwd,
    sessionId: parent.sessionId,
    version: WIRE_VERSION,
    gitBranch: gitBranch ?? 'HEAD',
    userType: 'external',
    isSidechain: true,
    agentId: facts.id,
    parentUuid: past?.leaf ?? null,
    clock: runtime.clock,
  });
  const repairs = past ? await repairsOf(past, chain, () => runtime.ids.uuid()) : [];
  if (repairs.length > 0) await transcript.store.append(key, repairs);
  const files: FileStates = new Map();
  const mayStart = facts.depth < agentLimits(parent.toolContext).maxDepth;
  const hooks = spec.isForHook ? NO_HOOKS : await childHooks(parent, () => parts, spec);
  // A teammate lives on, so that there may be skills one day: it has its tool ready.
  const skills =
    parent.extensions.skills.length > 0 || facts.teammate !== undefined
      ? [(await import('../skill-shelf.ts')).skillTool(() => parts)]
      : [];
  const toolSession = createToolSession(() => parts, {
    env: {},
    planFile: () => parent.toolSession.planFile(),
    todos: [],
    tasksDir: null,
    workspace,
    ids: runtime.ids,
    spillDir: transcript.spillDir,
    parent: parent.toolSession,
  });
  const tools = childTools(parent, { type, isFork, mayStart, skills, notes, isLasting: facts.teammate !== undefined });
  const parts: Parts = {
    ...parent,
    ...parent.newMind({
      chosen: () => chosen,
      past: { reminders: past?.reminders ?? [], lastTokens: past?.lastTokens ?? 0 },
      notes: () => notes,
      ...(!isFork && { omitsMemory: definition.omitClaudeMd, compactAtMost: positive(definition.autoCompactWindow) }),
      ...{ workspace, sandbox, gitBranch, readFilter: toolSession.readFilter },
    }),
    workspace,
    sandbox,
    agent: { ...facts, ...(definition.mcpServers && { servers: definition.mcpServers }) },
    mainAgent: isFork ? parent.mainAgent : null,
    notes,
    chosen,
    fallbacks: parent.fallbacks,
    ...(typeof definition.effort === 'string' && { effort: definition.effort }),
    get tools() {
      return tools.current();
    },
    set tools(next) {
      tools.replace(next);
    },
    permissions,
    settings: isFork ? { ...parent.settings } : { ...sharedSettings(parent), systemPrompt },
    limits: { ...parent.limits, maxTurns: spec.maxTurns, maxDurationMs: undefined },
    ledger: parent.ledger.child(),
    get hooks() {
      return hooks.current();
    },
    openHooks: hooks.open,
    ...(spec.isForHook && { ask: () => null }),
    messages: past?.messages(repairs) ?? [],
    transcript: { ...transcript, key, gitBranch, hasPast: past !== null, path: [], report: null, deferred: [] },
    recorder: createRecorder({ key, store: transcript.store, chain }),
    isBranching: false,
    title: null,
    structured: null,
    extras: noExtras(),
    registeredRoots: parent.registeredRoots,
    partials: false,
    replayUserMessages: false,
    toolUseSummaries: false,
    namePlan: () => {},
    toolSession,
    toolContext(toolUseId, signal) {
      return { ...parent.toolContext(toolUseId, signal), workspace, files, session: toolSession };
    },
  };
  for (const name of LIVE) {
    Object.defineProperty(parts, name, { get: () => parent[name], enumerable: true, configurable: true });
  }
  return parts;
}

/** What changes while an agent works, of the session: a copy would stay what it was when the agent began. */
const LIVE = [
  ...(['mcp', 'serverTrust', 'extensions', 'enabledSkills', 'hostAgents'] as const),
  ...(['team', 'dialect', 'forwardsAgentText'] as const),
];

function positive(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
}

/** The hooks as an agent meets them, which may come to be there only while it works. */
interface ChildHooks {
  current(): SessionHooks | null;
  open(): Promise<SessionHooks>;
}

const NO_HOOKS: ChildHooks = {
  current: () => null,
  async open() {
    throw new Error('An agent that works for a hook has no hooks');
  },
};

async function childHooks(parent: Parts, parts: () => Parts, { facts, type }: ChildSpec): Promise<ChildHooks> {
  const own = type.hooks && extensionHooksAct(parent.configuration.loaded.layers) ? type.hooks : null;
  let hooks: SessionHooks | null = null;
  const wrap = (outer: SessionHooks) => {
    const { key, store } = parts().transcript;
    hooks ??= agentHooks(outer, { agent: facts, parts, own, transcriptPath: store.locate?.(key) ?? '' });
    return hooks;
  };
  if (own) await parent.openHooks();
  return {
    current: () => parent.hooks && wrap(parent.hooks),
    open: async () => wrap(await parent.openHooks()),
  };
}

/** How the model thinks, and what it may call which tool: the host means every agent. */
function sharedSettings({ settings }: Parts): Parts['settings'] {
  const { systemPrompt: _prompt, sharedBlocks: _blocks, appendSystemPrompt: _append, ...shared } = settings;
  return shared;
}
