import type { StoppedTask } from '../agent/loop.ts';
import { resultLine } from '../agent/result.ts';
import { emptyTally } from '../agent/turn.ts';
import { endOfFile } from '../util/end-of-file.ts';
import type { Message } from '../wire/messages/index.ts';
import type { Parts } from './parts.ts';
import { resultFacts } from './run-turn.ts';

const MAX_LAST_OUTPUT = 2000;

/** Ends all that still runs, and tells of it in the last result of the session. */
export async function stopWithResult(parts: Parts): Promise<Message> {
  const tasks = await stopPendingTasks(parts);
  parts.ledger.beginTurn();
  return resultLine({ kind: 'background_stopped', tasks }, resultFacts(parts, emptyTally(), 0));
}

/** Ends all that still runs beside the conversation, and tells what it was and what it had said last (ruling K25). */
async function stopPendingTasks({ toolSession }: Parts): Promise<StoppedTask[]> {
  const { backgroundTasks } = toolSession;
  const pending = backgroundTasks.pending();
  await Promise.all(pending.map(({ id }) => backgroundTasks.stop(id, 'session')));
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
