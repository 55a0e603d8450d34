// A model of one's own: anything that can stream an answer in the events of the Messages API.
import { query, successOf } from 'heddle';
import { createEngine, inProcess, type Model, type StreamEvent } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';

/** Answers with the prompt, in capitals. */
const shouting: Model = {
  provider: 'shouting',
  async *stream(request, signal) {
    yield { type: 'response', requestId: null };
    for (const event of answer(lastText(request.messages).toUpperCase())) {
      if (signal.aborted) {
        // Trouble is an event, never a throw.
        yield { type: 'failure', failure: { class: 'aborted', message: 'The request was aborted.' } };
        return;
      }
      yield { type: 'event', event, raw: JSON.stringify(event) };
    }
  },
};

function* answer(text: string): Generator<StreamEvent, void> {
  const usage = { input_tokens: 1, output_tokens: 1 };
  yield { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'shouting-1', content: [], usage } };
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  for (const word of text.match(/\S+\s*/g) ?? []) {
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } };
  }
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage };
  yield { type: 'message_stop' };
}

/** The first text of the last message; further ones are reminders by the runtime. */
function lastText(messages: Parameters<Model['stream']>[0]['messages']): string {
  const block = messages.at(-1)?.content.find((each) => each.type === 'text');
  return block?.type === 'text' ? block.text : '';
}

// Without a log, warnings are those of the process: here, that the price of this model is not known.
const log = () => {};
const engine = createEngine({ cwd: process.cwd(), model: shouting, store: createMemoryStore(), log });
for await (const message of query({ prompt: 'weave on', options: { transport: inProcess(engine) } })) {
  if (message.type === 'result') console.log(successOf(message).result);
}
await engine.close();
