// An MCP server inside your program: its tools run here, wherever the agent runs.
import { createSdkMcpServer, query, successOf, tool } from 'heddle';
import { startFakeApi, toolUse } from 'heddle/testing';

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

// The input is a JSON Schema here. With zod, `{ a: z.number(), b: z.number() }` gives the arguments their types, too.
const multiply = tool('multiply', 'Multiplies two numbers.', numbers, ({ a, b }) => String(Number(a) * Number(b)), {
  annotations: { readOnlyHint: true },
});

const divide = tool('divide', 'Divides a by b.', numbers, ({ a, b }) => {
  // An error for the model. What a handler throws is one, too, and is told to this program besides.
  if (b === 0) return { content: [{ type: 'text', text: 'Nothing can be divided by 0' }], isError: true };
  return { content: [{ type: 'text', text: String(Number(a) / Number(b)) }] };
});

const calc = createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [multiply, divide] });

// Plays three answers, so that this runs without a key.
const api = await startFakeApi([
  toolUse('mcp__calc__multiply', { a: 6, b: 7 }),
  toolUse('mcp__calc__divide', { a: 42, b: 0 }),
  'Six times seven is 42, and 42 by 0 is nothing.',
]);
const env = { ...process.env, ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: api.url };

// `mcp__calc` allows all tools of the server, `mcp__calc__multiply` just that one.
const options = { env, mcpServers: { calc }, allowedTools: ['mcp__calc'] };
for await (const message of query({ prompt: 'What is 6 times 7, and that by 0?', options })) {
  if (message.type === 'system' && message.subtype === 'init') console.log(message.mcp_servers);
  if (message.type === 'user') console.log(message.tool_use_result);
  if (message.type === 'result') console.log(successOf(message).result);
}
await api.close();
