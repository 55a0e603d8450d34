import type { TurnEnd } from '../../agent/loop.ts';
import type { BackgroundTask, BackgroundTasks, TaskHandle, TaskSpec } from '../../tools/background/background-tasks.ts';
import type { ForegroundCalls } from '../../tools/shell/foreground-calls.ts';
import { Aborted, followAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import { textOf } from '../../wire/api/text-of.ts';
import type { ConversationTranscript } from '../conversation/conversation-options.ts';
import type { Thread } from '../thread/thread.ts';
import { worktreeNote } from './agent-isolation.ts';
import { saveFinalText } from './agent-output.ts';
import { problemOf } from './agent-problem.ts';
import type { AgentEnd, AgentRun } from './run-agent.ts';

export interface Supervision {
  tasks: BackgroundTasks;
  spec: Omit<TaskSpec, 'stop'>;
  /** The call that waits for the agent, and how it can stop waiting; null: no call waits. */
  foreground: { signal: AbortSignal; calls: ForegroundCalls } | null;
  work(run: Omit<AgentRun, 'prompt'>): Promise<AgentEnd>;
}

export interface StartedAgent {
  child: Thread;
  task: BackgroundTask;
  /** The end of the agent, or that no call waits for it any more. Rejects when the agent failed with an error. */
  outcome: Promise<AgentEnd | 'backgrounded'>;
}

/** Starts an agent as a task of the session: hosts can see, background and stop it, and its end is reported. */
export function superviseAgent(child: Thread, { tasks, spec, foreground, work }: Supervision): StartedAgent {
  const abort = new AbortController();
  const handle = tasks.begin({ ...spec, stop: () => abort.abort(new Aborted('interrupt')) });
  const release = foreground ? followAbort(foreground.signal, abort) : () => {};
  const done = work({
    signal: abort.signal,
    // Lines of an agent in the background go only to hosts that asked for all of them; others see its task.
    forwardsLines: () => !handle.task.isBackgrounded || child.services.preferences.forwardsAgentText,
    onProgress: (usage, lastToolName) => handle.progress({ usage, lastToolName }),
  }).finally(release);
  const ended = done.then(
    async (end) => {
      await settle(child.conversation.transcript, handle, end);
      return end;
    },
    (error) => {
      handle.end({ status: abort.signal.aborted ? 'killed' : 'failed', result: messageOf(error) });
      throw error;
    },
  );
  if (!foreground) {
    ended.catch((error) => child.services.runtime.log('error', `The agent ${spec.id} failed: ${messageOf(error)}`));
    return { child, task: handle.task, outcome: Promise.resolve('backgrounded') };
  }
  const letGo = new Promise<'backgrounded'>((resolve) => {
    const takeBack = foreground.calls.offer(spec.toolUseId, () => {
      release();
      handle.background();
      resolve('backgrounded');
    });
    ended.then(takeBack, takeBack);
  });
  return { child, task: handle.task, outcome: Promise.race([ended, letGo]) };
}

async function settle(transcript: ConversationTranscript, handle: TaskHandle, ended: AgentEnd): Promise<void> {
  const { end, content, usage, worktree } = ended;
  const text = textOf(content);
  const isDone = end.kind === 'completed' || end.kind === 'hook_stopped' || end.kind === 'max_turns';
  const status = isDone ? 'completed' : end.kind === 'interrupted' ? 'killed' : 'failed';
  const words = status === 'failed' ? failureOf(end, text) : text;
  const result = worktree ? `${words}\n\n${worktreeNote(worktree)}` : words;
  await saveFinalText(transcript, handle.task.outputFile, result);
  handle.end({ status, result, usage });
}

/** The error text, or a description of the end and the agent's last text. */
function failureOf(end: TurnEnd, text: string): string {
  const failure = 'text' in end ? end.text : 'message' in end ? end.message : '';
  if (failure !== '') return failure;
  return [problemOf(end, false), text].filter(Boolean).join('\n\n');
}
