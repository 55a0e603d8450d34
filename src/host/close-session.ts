import { messageOf } from '../util/message-of.ts';
import type { Parts } from './parts.ts';
import type { NewsSource } from './session-tasks.ts';

/** What a session still does itself while it is closed. */
export interface Closing {
  /** It did not come to its end by itself. */
  isStopped(): boolean;
  sources: readonly NewsSource[];
  stopTasks(): Promise<void>;
  /** Resolves when nothing is changed any more. */
  settle(): Promise<void>;
}

/** Lets go of everything, one after the other. What fails is said, and keeps nothing else open. */
export async function closeSession(parts: Parts, { isStopped, sources, stopTasks, settle }: Closing): Promise<void> {
  const { hooks, toolSession, sandbox, checkpoints, transcript, runtime } = parts;
  const steps: (() => Promise<unknown> | unknown)[] = [
    stopTasks,
    () => hooks?.end({ isStopped: isStopped() }),
    settle,
    () => toolSession.backgroundTasks.close(),
    ...sources.map((source) => () => source.close?.()),
    () => parts.mcp?.close(),
    () => sandbox.close(),
    () => checkpoints?.close(),
    () => parts.worktree?.leave(),
    () => transcript.release(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      runtime.log('error', `The session could not be closed in good order: ${messageOf(error)}`);
    }
  }
}
