import type { StoppedTask } from '../../agent/loop.ts';
import { resultLine } from '../../agent/result.ts';
import { emptyTally } from '../../agent/turn.ts';
import { endOfFile } from '../../util/files/end-of-file.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Message } from '../../wire/messages/index.ts';
import { resultDetails } from '../thread/run-turn.ts';
import type { BackgroundWork } from '../thread/services.ts';
import type { MainThread } from '../thread/thread.ts';

/** What a session itself does while it is closed. */
export interface Closing {
  /** Whether the session was stopped before its end. */
  isStopped(): boolean;
  stopTasks(): Promise<void>;
  /** Resolves when all requested changes are done. */
  settle(): Promise<void>;
}

/** Closes everything, one after the other. A failure is logged and does not keep the rest open. */
export async function closeSession(main: MainThread, { isStopped, stopTasks, settle }: Closing): Promise<void> {
  const { services, workplace, conversation } = main;
  const { hooks, background, triggers, mcp, runtime } = services;
  const steps: (() => Promise<unknown> | unknown)[] = [
    stopTasks,
    () => hooks.current?.end({ isStopped: isStopped() }),
    settle,
    () => background.tasks.close(),
    ...triggers.sources.map((source) => () => source.close?.()),
    () => mcp.current?.close(),
    () => workplace.sandbox.close(),
    () => workplace.guard.close(),
    () => workplace.checkpoints?.close(),
    () => workplace.worktree?.leave(),
    () => conversation.transcript.release(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      runtime.log('error', `The session could not be closed in good order: ${messageOf(error)}`);
    }
  }
}

/** Stops all tasks that still run, and returns the last result of the session, which reports them. */
export async function stopWithResult(main: MainThread): Promise<Message> {
  const tasks = await stopPendingTasks(main.services.background);
  main.budget.ledger.beginTurn();
  return resultLine({ kind: 'background_stopped', tasks }, resultDetails(main, emptyTally(), 0));
}

const MAX_LAST_OUTPUT = 2000;

/** Stops all tasks that still run. Resolves with each task and its last output. */
async function stopPendingTasks({ tasks }: BackgroundWork): Promise<StoppedTask[]> {
  const pending = tasks.pending();
  await Promise.all(pending.map(({ id }) => tasks.stop(id, 'session')));
  return Promise.all(
    pending.map(async ({ id, description, agent, result, outputFile }) => {
      const lastOutput = agent ? (result ?? '') : await lastOf(outputFile);
      return { id, description, lastOutput };
    }),
  );
}

async function lastOf(path: string): Promise<string> {
  try {
    return (await endOfFile(path, MAX_LAST_OUTPUT, 'refuse')).text;
  } catch {
    return '';
  }
}
