// A tool of your own: a function of this program that the model can call.
import { query, successOf, tool } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
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
const engine = createEngine({ cwd: process.cwd(), model, store: createMemoryStore() });

// The agent has this tool and two of its own; `'default'` in their place would be all of its own. A tool of yours needs
// permission like any other: a rule, as here, or `canUseTool`. It runs in this program, wherever the agent runs.
const tools = [inStock, 'Read', 'Grep'];
const options = { transport: inProcess(engine), tools, allowedTools: ['in_stock'] };
for await (const message of query({ prompt: 'How much linen is there?', options })) {
  if (message.type === 'user') console.log(message.tool_use_result);
  if (message.type === 'result') console.log(successOf(message).result);
}
await engine.close();
