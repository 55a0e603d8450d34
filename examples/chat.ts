// A chat in the terminal: text as it is written, questions before something runs, Ctrl-C ends an answer and not the chat.
import { createInterface } from 'node:readline';
import { type CanUseTool, createSession, FailedResultError } from 'heddle';

const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();
/** A line that is on its way: who has asked for it may not want it any more, and then it is the next one's. */
let coming: Promise<string | null> | null = null;

/** Asks on the terminal. Null at the end of the input, and when the signal aborts. */
async function read(question: string, signal?: AbortSignal): Promise<string | null> {
  process.stdout.write(question);
  coming ??= lines.next().then(({ value, done }) => (done ? null : value));
  const aborted = new Promise<null>((resolve) => signal?.addEventListener('abort', () => resolve(null)));
  const line = await Promise.race([coming, aborted]);
  if (!signal?.aborted) coming = null;
  return line;
}

const canUseTool: CanUseTool = async (toolName, input, { title, signal }) => {
  const answer = await read(`\n${title ?? `May ${toolName} run with ${JSON.stringify(input)}?`} [y/n] `, signal);
  return answer?.trim() === 'y' ? { behavior: 'allow' } : { behavior: 'deny', message: 'The user said no.' };
};

// `offline` needs no key, and follows plain instructions: `run: date`. Leave it out for a real model.
const session = createSession({ model: 'offline', canUseTool });
let isAnswering = false;
process.on('SIGINT', () => {
  if (isAnswering) session.interrupt().catch(() => {});
  else terminal.close();
});

try {
  for (let line = await read('> '); line !== null; line = await read('\n> ')) {
    if (line.trim() === '') continue;
    await session.send(line);
    isAnswering = true;
    const run = session.stream();
    try {
      for await (const text of run.textStream) process.stdout.write(text);
      process.stdout.write(`\n(${run.result?.num_turns} turns, $${run.result?.total_cost_usd.toFixed(4)} so far)`);
    } catch (error) {
      // An error of one turn, or the interrupt: the session goes on. Anything else is the end of it.
      if (!(error instanceof FailedResultError)) throw error;
      process.stdout.write(`\n[${error.reason}] ${error.message}`);
    }
    isAnswering = false;
  }
} finally {
  terminal.close();
  await session.close();
}
process.stdout.write('\nbye\n');
