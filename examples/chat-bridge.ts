// A chat bot: messages of people are pushed into a running session as they come.
import { query } from 'heddle';

/** What a chat program would have: people put texts in, the session takes them out. */
class Inbox implements AsyncIterable<string> {
  #waiting: string[] = [];
  #wake = () => {};
  #closed = false;

  push(text: string): void {
    this.#waiting.push(text);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const inbox = new Inbox();
const chat = ['run: echo good morning', 'run: echo good night'];
inbox.push(chat.shift() ?? '');

for await (const message of query({ prompt: inbox, options: { model: 'offline', persistSession: false } })) {
  if (message.type !== 'result') continue;
  console.log(message.is_error ? `Sorry: ${message.errors?.join('\n')}` : message.result);
  // Somebody writes again, or the chat is over. A message may come at any time: during a turn it joins that turn.
  const next = chat.shift();
  if (next === undefined) inbox.close();
  else inbox.push(next);
}
