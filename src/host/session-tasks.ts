import { type BackgroundTask, type BackgroundTasks, isAtWork } from '../tools/background-tasks.ts';
import { madeOnce } from '../util/made-once.ts';
import { messageOf } from '../util/message-of.ts';
import type { MessageOrigin } from '../wire/messages/common.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './parts.ts';
import type { TaskRecords } from './task-records.ts';
import { changeLines, notificationLine, notificationText } from './tasks-told.ts';

/** Something that happened beside the conversation and that the model should act on. */
export interface News {
  /** What the model is told. */
  text: string;
  /** What hosts are told before. */
  lines: Message[];
  /** Where it comes from, as the result of its turn tells. */
  origin: MessageOrigin;
  /** The model's message is about to be recorded, under this uuid. */
  telling?(uuid: string): Promise<void>;
  /** The model's message is on disk: it need not be told again. */
  delivered?(): Promise<void>;
  /** No turn came of it: it is to be told with what comes next. */
  undelivered?(): void;
}

/** Where news come from that begin a turn by themselves. */
export interface NewsSource {
  /** All that waits to be told, together; null when nothing does. What was taken is told now. */
  take(): Promise<News | null>;
  /** Whether news may still come: something is at work, or waits to be told. */
  isOpen(): boolean;
  /** What waits to be told waits for the next message. */
  postpone?(): void;
  /** Set where something open may only wait: whether none of it leads to news before somebody says something. */
  isQuiet?(): boolean;
  /** The session is over: what happens from now on is nobody's news. */
  close?(): Promise<void> | void;
}

/** What runs in the shell goes on. */
export function stopAgents(tasks: BackgroundTasks): void {
  const agents = tasks.pending().filter(({ type }) => type === 'local_agent');
  for (const { id } of agents) void tasks.stop(id, 'interrupt');
}

/**
 * Watches what runs beside the conversation: tells hosts of every change, and keeps the ends that the model has to hear
 * of until they are taken. Each is on disk before it counts as kept.
 */
export function watchSessionTasks(parts: Parts, onNews: () => void): NewsSource {
  const { backgroundTasks } = parts.toolSession;
  const ids = { sessionId: parts.sessionId, newId: () => parts.runtime.ids.uuid() };
  const records = parts.home === null ? null : lazyRecords(parts, parts.home);
  let ended: BackgroundTask[] = [];
  /** Ends of which no turn came. Nothing waits for them: the record of each says that it was not told. */
  let untold: BackgroundTask[] = [];
  const say = (line: Message) => parts.say(line)?.catch(() => {}); // a reader that is gone is noticed by the turn

  if (records) backgroundTasks.onChange(({ task }) => (task.isBackgrounded ? records.note(task) : undefined));
  const close = backgroundTasks.onChange((change) => {
    const { kind, task } = change;
    for (const line of changeLines(change, backgroundTasks.list().filter(isAtWork), ids)) say(line);
    if (kind !== 'ended') return;
    if (!task.isBackgrounded) {
      // The model reads how an agent ended in the result of its call; hosts follow agents by these lines.
      if (task.agent) say(notificationLine(task, ids));
      return;
    }
    if (task.type === 'in_process_teammate') return; // which says itself what it has to say
    // Whoever has stopped it knows, unless that was nobody of this session.
    if (task.stoppedBy !== null && task.stoppedBy !== 'outside') {
      say(notificationLine(task, ids));
      onNews(); // nothing to tell, but it may have been the last that was waited for
      return;
    }
    ended.push(task);
    parts.recorder
      .enqueue(notificationText(task))
      .catch((error) => parts.runtime.log('warn', `The end of ${task.id} was not recorded: ${messageOf(error)}`));
    onNews();
  });

  return {
    close,
    isOpen: () => ended.length > 0 || backgroundTasks.pending().length > 0,
    postpone() {
      untold.push(...ended);
      ended = [];
    },
    async take() {
      const taken = [...untold, ...ended];
      untold = [];
      ended = [];
      if (taken.length === 0) return null;
      return {
        text: taken.map(notificationText).join('\n\n'),
        lines: taken.map((task) => notificationLine(task, ids)),
        // Of several tasks that are told together none is the one.
        origin: { kind: 'task-notification', ...(taken.length === 1 && { runId: taken[0]?.runId }) },
        telling: async (uuid) => records?.telling(taken, uuid),
        delivered: async () => records?.told(taken),
        undelivered() {
          untold = taken;
        },
      };
    },
  };
}

/** What keeps tasks on disk is loaded with the first of them. */
function lazyRecords({ sessionId, workspace, toolSession, runtime }: Parts, home: string): TaskRecords {
  const open = madeOnce(async () =>
    (await import('./task-records.ts')).openTaskRecords({
      ...{ home, sessionId, cwd: workspace.cwd },
      tasks: toolSession.backgroundTasks,
      log: runtime.log,
    }),
  );
  return {
    note: async (task) => (await open()).note(task),
    telling: async (tasks, uuid) => (await open()).telling(tasks, uuid),
    told: async (tasks) => (await open()).told(tasks),
  };
}

/** The message that tells the model of it; nothing in it is to be expanded or taken for a command. */
export function newsInput({ text, origin }: News): UserInput {
  return { type: 'user', message: { role: 'user', content: text }, isSynthetic: true, client_composed: true, origin };
}

/** As `result.pending_tasks` lists what is still at work (ruling K25). */
export function pendingTasks({ toolSession, team }: Parts): PendingTask[] {
  const pending = toolSession.backgroundTasks
    .pending()
    .map(({ id, type, description }): PendingTask => ({ task_id: id, task_type: type, description }));
  const beginning = (team?.active() ?? []).filter(({ id }) => !pending.some(({ task_id }) => task_id === id));
  const mates = beginning.map(({ id, name }) => ({ task_id: id, task_type: 'in_process_teammate', description: name }));
  return [...pending, ...mates];
}

export interface PendingTask {
  task_id: string;
  task_type: string;
  description: string;
}
