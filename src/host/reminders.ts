import type { Attachment } from '../agent/attachment.ts';
import { environmentReminder } from '../agent/prompt.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Engine } from './engine.ts';
import type { SessionMemory } from './memory.ts';
import type { SessionSandbox } from './sandbox.ts';
import type { OpenTranscript } from './transcript.ts';

/** What the runtime tells the model of its own accord, and when that is news. */
export interface Reminders {
  /** What the model has not been told yet, or was told otherwise: the place and the day, skills, memory files. */
  news(): Promise<Attachment[]>;
  /** The model has been told: until then the same stays news. */
  told(news: readonly Attachment[]): void;
  /** The conversation is another one now, which was told this; nothing: all is news again. */
  restart(before: readonly Attachment[]): void;
  /** A summary has replaced all that the model was told: it is news again. */
  summarised(): void;
}

export interface RemindersOptions {
  engine: Engine;
  transcript: Pick<OpenTranscript, 'gitBranch' | 'reminders'>;
  workspace: Workspace;
  sandbox: SessionSandbox;
  memory: SessionMemory;
  /** What the model is told of the skills that it may load; null when there are none. */
  skills(): string | null;
  /** What MCP servers want it to know; null when there is nothing. */
  servers(): string | null;
  /** What there is to say of plan mode now that it is on, or was when the model was last told. Absent for agents. */
  plan?: ((wasOn: boolean) => Promise<string | null>) | undefined;
  /** What agents of its kind have noted for it; null when there is nothing. */
  notes(): string | null;
}

const PLAN = 'plan_mode';

export function createReminders(options: RemindersOptions): Reminders {
  const { engine, transcript, workspace, sandbox, memory } = options;
  /** What the model was told last, by its kind. */
  const last = new Map<string, unknown>();
  const environment = () =>
    environmentReminder({
      cwd: workspace.cwd,
      additionalDirectories: workspace.roots.filter((root) => root !== workspace.cwd),
      platform: engine.platform,
      date: localDate(engine.runtime.clock.now()),
      gitBranch: transcript.gitBranch,
      sandbox: sandbox.describe(),
    });
  const reminders: Reminders = {
    async news() {
      const facts = [
        { type: 'environment', content: environment() },
        { type: 'skill_listing', content: options.skills() },
        { type: 'mcp_instructions', content: options.servers() },
        { type: PLAN, content: (await options.plan?.(last.has(PLAN))) ?? null },
        { type: 'agent_memory', content: options.notes() },
      ];
      const remembered = await memory.news();
      const news = facts.flatMap(({ type, content }) =>
        content === null || content === last.get(type) ? [] : [{ type, content }],
      );
      return remembered ? [...news, remembered] : news;
    },
    told(news) {
      for (const each of news) {
        if (each.type === 'memory') memory.told(each);
        else last.set(each.type, each.content);
      }
    },
    restart(before) {
      last.clear();
      memory.forget('restart');
      reminders.told(before);
    },
    summarised() {
      last.clear();
      memory.forget('compact');
    },
  };
  reminders.told(transcript.reminders);
  return reminders;
}

/** By hand: the first use of Intl costs more than the rest of the start. */
function localDate(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
