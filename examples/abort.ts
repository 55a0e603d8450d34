// Two ways to stop: an interrupt ends the turn, and the conversation goes on; an abort ends everything.
import { AbortError, createSession, query } from 'heddle';

const options = { model: 'offline', allowedTools: ['Bash'], persistSession: false };

await using session = createSession(options);
await session.send('run: sleep 60');
for await (const message of session.stream()) {
  if (message.type === 'assistant' && message.message.content.some(({ type }) => type === 'tool_use')) {
    await session.interrupt();
  }
  if (message.type === 'result') console.log(`interrupted: ${message.subtype}`);
}
await session.send('run: echo still here');
for await (const message of session.stream()) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}

const abortController = new AbortController();
try {
  for await (const message of query({ prompt: 'run: sleep 60', options: { ...options, abortController } })) {
    if (message.type === 'assistant') abortController.abort();
  }
} catch (error) {
  if (!(error instanceof AbortError)) throw error;
  console.log(`aborted: ${error.message}`);
}
