// Prints the answer word by word, from the messages. `run.textStream` has the text alone: quick-start.ts shows it.
import { query, successOf } from 'heddle';

const run = query({
  prompt: 'run: echo one two three',
  options: { model: 'offline', includePartialMessages: true, persistSession: false },
});

for await (const message of run) {
  if (message.type === 'stream_event') process.stdout.write(newText(message.event));
  // The whole block follows as an `assistant` message; whoever has shown the pieces may skip it.
  if (message.type === 'result') console.log(`\n(${successOf(message).usage.output_tokens} tokens out)`);
}

/** The text in a stream event; empty for the other kinds, of which there are many. */
function newText(event: { type: string; delta?: unknown }): string {
  if (event.type !== 'content_block_delta') return '';
  const delta = event.delta as { type: string; text?: string };
  return delta.type === 'text_delta' ? (delta.text ?? '') : '';
}
