// A chat bot: messages of people are pushed into a running session as they come.
import { query, type SDKUserMessage } from 'heddle';

/** What a chat program would have: people put messages in, the session takes them out. */
class Inbox implements AsyncIterable<SDKUserMessage> {
  #waiting: SDKUserMessage[] = [];
  #wake = () => {};
  #closed = false;

  push(text: string): void {
    const message = { role: 'user' as const, content: text };
    this.#waiting.push({ type: 'user', message, parent_tool_use_id: null, session_id: '' });
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
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
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  console.log(message.result);
  // Somebody writes again, or the chat is over. A message may come at any time: during a turn it joins that turn.
  const next = chat.shift();
  if (next === undefined) inbox.close();
  else inbox.push(next);
}
