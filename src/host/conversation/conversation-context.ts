import type { ContextWindow } from '../../agent/turn-conversation.ts';
import type { SearchPort } from '../../tools/search/search-port.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Engine } from '../engine/engine.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import { openMemory } from '../extensions/open-memory.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import type { LaunchContext } from '../launch/launch-context.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import { contextWindow } from '../models/context-window.ts';
import type { SessionSandbox } from '../permissions/session-sandbox.ts';
import type { RestoredState } from '../resume/open-transcript.ts';
import { createReminders, type Reminders, type RemindersOptions } from './reminders.ts';

/** What a conversation tells its model unasked, and how full the model's window is. */
export interface ConversationContext {
  readonly memory: SessionMemory;
  readonly reminders: Reminders;
  readonly window: ContextWindow;
}

/** The thread that a conversation belongs to, as far as its context depends on it. */
export interface ContextSpec {
  /** The model in use, which may change. */
  selected(): SelectedModel;
  /** What the model was told before, in a resumed conversation. */
  history: Pick<RestoredState, 'reminders' | 'lastTokens'>;
  /** The notes of the agent whose conversation it is; null: it keeps none. */
  notes(): { reminder: string | null } | null;
  /** Absent for agents. */
  plan?: RemindersOptions['plan'];
  workspace: Workspace;
  sandbox: SessionSandbox;
  gitBranch: string | null;
  /** Leaves memory files out. */
  omitsMemory?: boolean | undefined;
  /** An upper bound for the number of tokens at which the conversation is compacted. */
  compactAtMost?: number | undefined;
  /** Makes a filter for the paths that no rule hides. */
  readableFilter: SearchPort['readableFilter'];
}

interface ContextDependencies {
  engine: Engine;
  launch: LaunchContext;
  extensions: ExtensionSet;
  mcp: Lazy<SessionMcp>;
  warn(text: string): void;
}

/** Makes the contexts of a session's conversations. The main thread and the agents share skills and MCP servers. */
export function contextMaker({
  engine,
  launch,
  extensions,
  mcp,
  warn,
}: ContextDependencies): (spec: ContextSpec) => ConversationContext {
  const { config, env, configHome, configuration } = launch;
  const excludes = () => configuration.settings.claudeMdExcludes ?? [];
  return (spec) => {
    const { selected, history, notes, plan, workspace, sandbox, gitBranch, readableFilter } = spec;
    const read = spec.omitsMemory ? { ...config, settingSources: [] } : config;
    const memory = openMemory({ config: read, env, configHome, workspace, readableFilter, excludes, warn });
    return {
      memory,
      window: contextWindow(config, env, selected, { tokens: history.lastTokens, atMost: spec.compactAtMost }),
      reminders: createReminders({
        engine,
        gitBranch,
        sent: history.reminders,
        workspace,
        sandbox,
        memory,
        plan,
        skills: () => extensions.current.listing(extensions.enabledSkills),
        servers: () => mcp.current?.instructions() ?? null,
        notes: () => notes()?.reminder ?? null,
      }),
    };
  };
}
