import type { TurnEnd } from '../../agent/loop.ts';
import type { BackgroundTask, BackgroundTasks, TaskHandle, TaskSpec } from '../../tools/background-tasks.ts';
import type { ForegroundCalls } from '../../tools/foreground-calls.ts';
import { Aborted, followAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Parts } from '../parts.ts';
import { worktreeNote } from './agent-isolation.ts';
import { keepLastWords } from './agent-output.ts';
import { problemOf } from './agent-problem.ts';
import type { AgentEnd, AgentRun } from './run-agent.ts';

export interface Supervision {
  tasks: BackgroundTasks;
  spec: Omit<TaskSpec, 'stop'>;
  /** Who waits for it, and how it can be let go of; null: nobody waits. */
  foreground: { signal: AbortSignal; calls: ForegroundCalls } | null;
  work(run: Omit<AgentRun, 'prompt'>): Promise<AgentEnd>;
}

export interface StartedAgent {
  child: Parts;
  task: BackgroundTask;
  /** How it ended, or that nobody waits for it any more. Rejects when it broke. */
  outcome: Promise<AgentEnd | 'backgrounded'>;
}

/** Starts an agent's work as a task of the session: it can be seen, let go of and stopped, and its end is told. */
export function superviseAgent(child: Parts, { tasks, spec, foreground, work }: Supervision): StartedAgent {
  const abort = new AbortController();
  const handle = tasks.begin({ ...spec, stop: () => abort.abort(new Aborted('interrupt')) });
  const release = foreground ? followAbort(foreground.signal, abort) : () => {};
  const done = work({
    signal: abort.signal,
    // Of an agent that nobody waits for, hosts that did not ask for all of it hear only by its task.
    isTold: () => !handle.task.isBackgrounded || child.forwardsAgentText,
    onProgress: (usage, lastToolName) => handle.progress({ usage, lastToolName }),
  }).finally(release);
  const ended = done.then(
    async (end) => {
      await settle(child, handle, end);
      return end;
    },
    (error) => {
      handle.end({ status: abort.signal.aborted ? 'killed' : 'failed', result: messageOf(error) });
      throw error;
    },
  );
  if (!foreground) {
    ended.catch((error) => child.runtime.log('error', `The agent ${spec.id} failed: ${messageOf(error)}`));
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

async function settle(child: Parts, handle: TaskHandle, ended: AgentEnd): Promise<void> {
  const { end, content, usage, worktree } = ended;
  const said = content.map(({ text }) => text).join('\n');
  const isDone = end.kind === 'completed' || end.kind === 'hook_stopped' || end.kind === 'max_turns';
  const status = isDone ? 'completed' : end.kind === 'interrupted' ? 'killed' : 'failed';
  const words = status === 'failed' ? failureOf(end, said) : said;
  const result = worktree ? `${words}\n\n${worktreeNote(worktree)}` : words;
  await keepLastWords(child, handle.task.outputFile, result);
  handle.end({ status, result, usage });
}

/** Why it failed, in the words of the failure where there are some; what it had said before is not lost. */
function failureOf(end: TurnEnd, said: string): string {
  const failure = 'text' in end ? end.text : 'message' in end ? end.message : '';
  if (failure !== '') return failure;
  return [problemOf(end, false), said].filter(Boolean).join('\n\n');
}
