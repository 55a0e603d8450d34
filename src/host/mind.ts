import type { ToolSession } from '../tools/tool-session.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { AgentNotes } from './agents/agent-notes.ts';
import { contextWindow } from './context-window.ts';
import type { Engine } from './engine.ts';
import { openMemory } from './memory.ts';
import type { Chosen } from './models.ts';
import type { Parts } from './parts.ts';
import type { LaunchPlace } from './place.ts';
import { createReminders, type RemindersOptions } from './reminders.ts';
import type { SessionSandbox } from './sandbox.ts';
import type { OpenTranscript } from './transcript.ts';

/** What one conversation knows of the place, and how full it is. */
export type Mind = Pick<Parts, 'memory' | 'reminders' | 'context'>;

/** Whose mind it is. */
export interface MindSpec {
  /** The model in use, which may change. */
  chosen(): Chosen;
  /** What the conversation was told before, where it is gone on with. */
  past: Pick<OpenTranscript, 'reminders' | 'lastTokens'>;
  /** The notes of the agent that it is; null: it keeps none. */
  notes(): AgentNotes | null;
  /** Absent for agents. */
  plan?: RemindersOptions['plan'];
  workspace: Workspace;
  sandbox: SessionSandbox;
  gitBranch: string | null;
  /** It is told nothing of memory files. */
  omitsMemory?: boolean | undefined;
  /** It is compacted at this many tokens, if not before. */
  compactAtMost?: number | undefined;
  /** Tells which files no rule hides. */
  readFilter: ToolSession['readFilter'];
}

/** Makes the minds of a session: that of the main thread, and those of its agents, which share skills and servers. */
export function mindMaker(
  parts: () => Parts,
  { engine, place, warn }: { engine: Engine; place: LaunchPlace; warn(text: string): void },
): (spec: MindSpec) => Mind {
  const { config, env, configHome, configuration } = place;
  const excludes = () => configuration.settings.claudeMdExcludes ?? [];
  return (spec) => {
    const { chosen, past, notes, plan, workspace, sandbox, gitBranch, readFilter } = spec;
    const read = spec.omitsMemory ? { ...config, settingSources: [] } : config;
    const memory = openMemory({ config: read, env, configHome, workspace, readFilter, excludes, warn });
    return {
      memory,
      context: contextWindow(config, env, chosen, { tokens: past.lastTokens, atMost: spec.compactAtMost }),
      reminders: createReminders({
        engine,
        transcript: { gitBranch, reminders: past.reminders },
        workspace,
        sandbox,
        memory,
        plan,
        skills: () => parts().extensions.listing(parts().enabledSkills),
        servers: () => parts().mcp?.instructions() ?? null,
        notes: () => notes()?.reminder ?? null,
      }),
    };
  };
}
