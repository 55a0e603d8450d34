// A tool of your own: a function of this program that the model can call.
import { query } from 'heddle';
import { createEngine, inProcess, tool } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';

const stock = new Map([['linen', 12]]);

// The input is a JSON Schema here; a zod object, or the shape of one, gives the arguments their types, too.
const inStock = tool(
  'in_stock',
  'Tells how many bolts of a cloth are in stock.',
  {
    type: 'object',
    properties: { cloth: { type: 'string', enum: ['linen', 'wool'] } },
    required: ['cloth'],
    additionalProperties: false,
  },
  ({ cloth }) => `${stock.get(String(cloth)) ?? 0} bolts of ${cloth}`,
  { annotations: { readOnlyHint: true } },
);

// Plays three answers, the first of them a wrong call, so that this runs without a key.
const model = scriptedModel([
  toolUse('in_stock', { cloth: 'silk' }),
  toolUse('in_stock', { cloth: 'linen' }),
  'There are 12 bolts of linen.',
]);
const engine = createEngine({ cwd: process.cwd(), model, store: createMemoryStore(), tools: [inStock] });

// Tools of yours need permission like any other: a rule, as here, or `canUseTool`.
const options = { transport: inProcess(engine), allowedTools: ['in_stock'] };
for await (const message of query({ prompt: 'How much linen is there?', options })) {
  if (message.type === 'user') console.log(message.tool_use_result);
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await engine.close();
