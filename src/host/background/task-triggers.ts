import type { EventRecorder } from '../../agent/messages/event-recorder.ts';
import { type BackgroundTask, type BackgroundTasks, isAtWork } from '../../tools/background/background-tasks.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Message } from '../../wire/messages/index.ts';
import { changeLines, notificationLine, notificationText } from './task-lines.ts';
import { openTaskRecords } from './task-records.ts';
import type { TriggerSource } from './turn-triggers.ts';

/** Stops agents that run in the background. Shell commands continue. */
export function stopAgents(tasks: BackgroundTasks): void {
  const agents = tasks.pending().filter(({ type }) => type === 'local_agent');
  for (const { id } of agents) void tasks.stop(id, 'interrupt');
}

/** A session whose background tasks are watched. */
export interface WatchedSession {
  id: string;
  runtime: Runtime;
  tasks: BackgroundTasks;
  events: Pick<EventRecorder, 'enqueue'>;
  /** Where tasks are recorded; null: nowhere. */
  home: string | null;
  cwd: string;
  send(line: Message): Promise<void> | undefined;
}

/**
 * Watches the background tasks of a session: sends a line for every change, records each task, and holds the ends that
 * the model has to read until a turn takes them.
 */
export function watchSessionTasks(session: WatchedSession, onTrigger: () => void): TriggerSource {
  const { id: sessionId, runtime, tasks, home, cwd } = session;
  const ids = { sessionId, newId: () => runtime.ids.uuid() };
  const records = home === null ? null : openTaskRecords({ home, sessionId, cwd, tasks, log: runtime.log });
  let ended: BackgroundTask[] = [];
  /** Ends without a turn. No one waits for them: the record of each says that it was not reported. */
  let unreported: BackgroundTask[] = [];
  const say = (line: Message) => session.send(line)?.catch(() => {}); // the turn notices a reader that is gone

  if (records) tasks.onChange(({ task }) => (task.isBackgrounded ? records.note(task) : undefined));
  const close = tasks.onChange((change) => {
    const { kind, task } = change;
    for (const line of changeLines(change, tasks.list().filter(isAtWork), ids)) say(line);
    if (kind !== 'ended') return;
    if (!task.isBackgrounded) {
      // The model reads the end of an agent in the result of its call; hosts follow agents by these lines.
      if (task.agent) say(notificationLine(task, ids));
      return;
    }
    if (task.type === 'in_process_teammate') return; // a teammate reports its own end
    // The user, host or model that stopped it knows. A stop from outside of the session is news.
    if (task.stoppedBy !== null && task.stoppedBy !== 'outside') {
      say(notificationLine(task, ids));
      onTrigger(); // nothing to report, but the session may have waited for this task
      return;
    }
    ended.push(task);
    session.events
      .enqueue(notificationText(task))
      .catch((error) => runtime.log('warn', `The end of ${task.id} was not recorded: ${messageOf(error)}`));
    onTrigger();
  });

  return {
    close,
    isOpen: () => ended.length > 0 || tasks.pending().length > 0,
    postpone() {
      unreported.push(...ended);
      ended = [];
    },
    async take() {
      const taken = [...unreported, ...ended];
      unreported = [];
      ended = [];
      if (taken.length === 0) return null;
      return {
        text: taken.map(notificationText).join('\n\n'),
        lines: taken.map((task) => notificationLine(task, ids)),
        // Several tasks share a turn, so that no single run is its origin.
        origin: { kind: 'task-notification', ...(taken.length === 1 && { runId: taken[0]?.runId }) },
        beforeRecord: async (uuid) => records?.beforeRecord(taken, uuid),
        recorded: async () => records?.recorded(taken),
        notRecorded() {
          unreported = taken;
        },
      };
    },
  };
}

/** The tasks still at work, as `result.pending_tasks` lists them. */
export function pendingTasks(
  tasks: Pick<BackgroundTasks, 'pending'>,
  team: { active(): { id: string; name: string }[] } | null,
): PendingTask[] {
  const pending = tasks
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
