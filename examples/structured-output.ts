// An answer with a given shape: checked against a JSON Schema before it counts, and asked for again until it fits.
import { type Options, query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    threads: { type: 'integer', minimum: 1 },
  },
  required: ['title', 'threads'],
  additionalProperties: false,
};

// Plays two answers, the first of them wrong, so that this runs without a key. A real model needs `outputFormat` only.
const model = scriptedModel([
  toolUse('StructuredOutput', { title: 'Twill', threads: 'many' }),
  toolUse('StructuredOutput', { title: 'Twill', threads: 240 }),
]);
const engine = createEngine({ cwd: process.cwd(), model, store: createMemoryStore() });

const options: Options = { transport: inProcess(engine), outputFormat: { type: 'json_schema', schema } };
for await (const message of query({ prompt: 'Which cloth is this?', options })) {
  if (message.type !== 'result') continue;
  // Without an error there is an output, and it fits.
  if (message.is_error) console.log(message.errors?.join('\n'));
  else if (message.subtype === 'success') console.log(message.structured_output);
}
console.log(`asked ${model.requests.length} times`);
await engine.close();
