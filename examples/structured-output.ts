// An answer with a given shape: checked before it counts, asked for again until it fits, and typed.
import { query, successOf } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';
import * as z from 'zod';

// A JSON Schema does as well: `outputFormat: { type: 'json_schema', schema: { type: 'object', … } }`.
const outputFormat = z.object({
  title: z.string(),
  threads: z.number().int().min(1),
  colours: z.array(z.string()).default([]),
});

// Plays two answers, the first of them wrong, so that this runs without a key. A real model needs `outputFormat` only.
const model = scriptedModel([
  toolUse('StructuredOutput', { title: 'Twill', threads: 'many' }),
  toolUse('StructuredOutput', { title: 'Twill', threads: 240 }),
]);
const engine = createEngine({ cwd: process.cwd(), model, store: createMemoryStore() });

const options = { transport: inProcess(engine), outputFormat };
for await (const message of query({ prompt: 'Which cloth is this?', options })) {
  if (message.type !== 'result') continue;
  // Without an error there is an output, and it fits: `threads` is a number here, for the compiler, too.
  const { title, threads, colours } = successOf(message).structured_output;
  console.log(`${title}: ${threads + 1} threads with the selvedge, ${colours.length} colours`);
}
console.log(`asked ${model.requests.length} times`);
await engine.close();
