// Two ways to stop: an interrupt ends the turn, and the conversation goes on; an abort ends everything.
import { AbortError, createSession, query } from 'heddle';

const options = { model: 'offline', allowedTools: ['Bash'], persistSession: false };

const session = createSession(options);
try {
  await session.send('run: sleep 60');
  for await (const message of session.stream()) {
    if (message.type === 'assistant' && message.message.content.some(({ type }) => type === 'tool_use')) {
      await session.interrupt();
    }
    if (message.type === 'result') console.log(`interrupted: ${message.is_error}, ${message.terminal_reason}`);
  }
  console.log((await session.ask('run: echo still here')).text);
} finally {
  await session.close();
}

const abortController = new AbortController();
try {
  for await (const message of query({ prompt: 'run: sleep 60', options: { ...options, abortController } })) {
    if (message.type === 'assistant') abortController.abort();
  }
} catch (error) {
  if (!(error instanceof AbortError)) throw error;
  console.log(`aborted: ${error.code}`);
}
