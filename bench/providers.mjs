// What a hello costs with each provider, as a multiple of the same hello with Anthropic's API, in turns. The servers are
// in this process: one port that knows a provider by its path, and answers in its dialect.
import http from 'node:http';
import { crc32 } from 'node:zlib';
import { measure } from './measure.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const [command, ...words] = process.argv.slice(2);

const usage = { input_tokens: 10, output_tokens: 1 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
const MESSAGES = [
  { type: 'message_start', message },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];
const CHAT = [
  { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' } }] },
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 7 } },
];
const part = { type: 'output_text', text: 'Hello' };
const item = { id: 'i', type: 'message', role: 'assistant', status: 'completed', content: [part] };
const at = { item_id: 'i', output_index: 0, content_index: 0 };
const RESPONSES = [
  { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
  { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
  { type: 'response.output_text.delta', ...at, delta: 'Hello' },
  { type: 'response.output_text.done', ...at, text: 'Hello' },
  { type: 'response.content_part.done', ...at, part },
  { type: 'response.output_item.done', output_index: 0, item },
  { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item], usage } },
];

const named = (events) => events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
const unnamed = (events) => events.map((each) => `data: ${JSON.stringify(each)}\n\n`);
const DIALECTS = [
  [/\/v1\/messages$|:streamRawPredict$/, 'text/event-stream', named(MESSAGES)],
  [/\/chat\/completions$/, 'text/event-stream', [...unnamed(CHAT), 'data: [DONE]\n\n']],
  [/\/responses$/, 'text/event-stream', named(RESPONSES)],
  [/\/invoke-with-response-stream$/, 'application/vnd.amazon.eventstream', MESSAGES.map(frame)],
];

/** An event in a frame of AWS. */
function frame(event) {
  const headers = Object.entries({ ':event-type': 'chunk', ':message-type': 'event' }).map(([name, value]) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, value.length]),
      Buffer.from(value),
    ]),
  );
  const head = Buffer.concat(headers);
  const body = Buffer.from(JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') }));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, checksum]);
}

const server = http.createServer((request, response) => {
  request.resume().on('end', () => {
    const [, type, pieces] = DIALECTS.find(([path]) => path.test(request.url.split('?')[0])) ?? [];
    if (!pieces) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type });
    for (const piece of pieces) response.write(piece);
    response.end();
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

/** Each provider with its variables; addresses that are made of the name of a region cannot be asked here. */
const PROVIDERS = {
  anthropic: ['claude-sonnet-4-5-20250929', {}],
  openai: ['openai/gpt-4.1', { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'k' }],
  responses: ['openai-responses/gpt-5', { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'k' }],
  gemini: ['gemini/gemini-3-pro-preview', { GEMINI_BASE_URL: `${url}/v1`, GEMINI_API_KEY: 'k' }],
  openrouter: ['openrouter/qwen/qwen3', { OPENROUTER_BASE_URL: `${url}/v1`, OPENROUTER_API_KEY: 'k' }],
  bedrock: [
    'bedrock/sonnet',
    {
      ...{ ANTHROPIC_BEDROCK_BASE_URL: url, AWS_REGION: 'us-east-1' },
      ...{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'k' },
    },
  ],
  vertex: [
    'vertex/sonnet',
    {
      ...{ ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`, CLOUD_ML_REGION: 'us-east5', ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
      ...{ CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' },
    },
  ],
  foundry: ['foundry/sonnet', { ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`, ANTHROPIC_FOUNDRY_API_KEY: 'k' }],
};

const cost = Object.fromEntries(Object.keys(PROVIDERS).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, [model, variables]] of Object.entries(PROVIDERS)) {
    const env = { ...process.env, ANTHROPIC_BASE_URL: url, ...variables };
    const run = [command, ...words, '-p', 'hello', '--model', model, '--output-format', 'stream-json', '--verbose'];
    const { cpuMs, stdout, stderr } = await measure(run, { cwd: process.cwd(), env });
    if (!stdout.includes('"result":"Hello"')) throw new Error(`${name} did not answer: ${stderr}${stdout}`);
    cost[name].push(cpuMs);
  }
}
server.close();

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const own = median(cost.anthropic);
const times = Object.entries(cost).map(([name, values]) => [`${name}`, median(values) / own]);
console.log(JSON.stringify({ anthropicCpuMs: own, ...Object.fromEntries(times.slice(1)) }));
