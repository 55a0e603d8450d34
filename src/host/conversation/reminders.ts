import type { Attachment } from '../../agent/attachment.ts';
import { environmentReminder } from '../../agent/messages/system-prompt.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Engine } from '../engine/engine.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import type { SessionSandbox } from '../permissions/session-sandbox.ts';

/** What the runtime tells the model without being asked, and when. */
export interface Reminders {
  /** Reminders that are new or have changed: the environment, skills, MCP servers, plan mode, notes, memory files. */
  pending(): Promise<Attachment[]>;
  /** Marks reminders as sent; `pending` returns them until then. */
  markSent(sent: readonly Attachment[]): void;
  /** Begins another conversation, which has these reminders. */
  restart(before: readonly Attachment[]): void;
  /** A summary has replaced all reminders, so that all are pending again. */
  summarised(): void;
}

export interface RemindersOptions {
  engine: Engine;
  gitBranch: string | null;
  /** The reminders that the model has, in a resumed conversation. */
  sent: readonly Attachment[];
  workspace: Workspace;
  sandbox: SessionSandbox;
  memory: SessionMemory;
  /** The list of skills; null: there are none. */
  skills(): string | null;
  /** The instructions of MCP servers; null: there are none. */
  servers(): string | null;
  /** The text about plan mode; `wasOn`: the model was told that it is on. Absent for agents. */
  plan?: ((wasOn: boolean) => Promise<string | null>) | undefined;
  /** The notes of the agent; null: there are none. */
  notes(): string | null;
}

const PLAN = 'plan_mode';

export function createReminders(options: RemindersOptions): Reminders {
  const { engine, workspace, sandbox, memory } = options;
  /** The last text that was sent, by kind. */
  const last = new Map<string, unknown>();
  const environment = () =>
    environmentReminder({
      cwd: workspace.cwd,
      additionalDirectories: workspace.roots.filter((root) => root !== workspace.cwd),
      platform: engine.platform,
      date: localDate(engine.runtime.clock.now()),
      gitBranch: options.gitBranch,
      sandbox: sandbox.describe(),
    });
  const reminders: Reminders = {
    async pending() {
      const details = [
        { type: 'environment', content: environment() },
        { type: 'skill_listing', content: options.skills() },
        { type: 'mcp_instructions', content: options.servers() },
        { type: PLAN, content: (await options.plan?.(last.has(PLAN))) ?? null },
        { type: 'agent_memory', content: options.notes() },
      ];
      const remembered = await memory.pending();
      const changed = details.flatMap(({ type, content }) =>
        content === null || content === last.get(type) ? [] : [{ type, content }],
      );
      return remembered ? [...changed, remembered] : changed;
    },
    markSent(sent) {
      for (const each of sent) {
        if (each.type === 'memory') memory.markReported(each);
        else last.set(each.type, each.content);
      }
    },
    restart(before) {
      last.clear();
      memory.forget('restart');
      reminders.markSent(before);
    },
    summarised() {
      last.clear();
      memory.forget('compact');
    },
  };
  reminders.markSent(options.sent);
  return reminders;
}

/** Without Intl, whose first use takes longer than the rest of the start. */
function localDate(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
