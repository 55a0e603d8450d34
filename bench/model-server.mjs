#!/usr/bin/env node
// The loopback model that floor and Heddle talk to in the benchmark: POST /v1/messages, answered by script over SSE.
// A request picks its script by the text `@scenario:NAME` in a message, and its turn by the number of assistant messages
// after it. GET /stats says what came in since the last POST /reset.
//
//   node model-server.mjs      prints `listening PORT`; ends when its stdin is closed
import http from 'node:http';

/** Nothing is sent for a while. */
const wait = (ms) => ({ type: 'wait', ms });
const many = (from) => Array.from({ length: 100 }, (_, i) => `- row${from + i} of many\n`).join('');
const text = (...pieces) => ({ type: 'text', pieces });
const bash = (command) => ({ type: 'tool_use', name: 'Bash', input: { command, description: 'Benchmark' } });
const todo = (content) => ({
  type: 'tool_use',
  name: 'TodoWrite',
  input: { todos: [{ content, status: 'pending', activeForm: content }] },
});
const toolTurns = (count) => (turn) => (turn < count ? [bash(`echo ${turn}`)] : [text(`Ran ${count} turns.`)]);

/** Scripts: the content blocks of the answer to a turn. */
const scripts = {
  hello: () => [text('Hello')],
  talk: () => [text('So be it. '.repeat(20))],
  turns20: toolTurns(20),
  turns100: toolTurns(100),
  todos200: (turn) => (turn < 200 ? [todo(`Item ${turn}`)] : [text('Noted 200 times.')]),
  big: () => [text(...Array.from({ length: 2000 }, (_, i) => `word${i} `))],
  rows10: () => [text(...Array.from({ length: 10 }, (_, i) => `- row${i} of ten\n`))],
  rows90000: () => [text(...Array.from({ length: 900 }, (_, i) => many(i * 100)))],
  silent: () => [wait(4000), text('At last')],
  parallel8: (turn) =>
    turn === 0 ? Array.from({ length: 8 }, (_, i) => bash(`sleep 0.5; echo p${i}`)) : [text('All eight done.')],
};

let ids = 0;
let stats = emptyStats();

function emptyStats() {
  return { requests: 0, firstRequestBytes: 0 };
}

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => route(request, response, Buffer.concat(chunks).toString()));
});

function route({ method, url }, response, raw) {
  const where = url.split('?')[0];
  if (where === '/stats') return response.end(JSON.stringify(stats));
  if (where === '/reset') {
    stats = emptyStats();
    return response.end();
  }
  if (method !== 'POST' || where !== '/v1/messages') return response.writeHead(404).end();
  const body = JSON.parse(raw);
  stats.requests++;
  stats.firstRequestBytes ||= bytes(body.tools) + bytes(body.system);
  const { name, turn } = pick(body.messages);
  // As many tokens as the request is long, so that a long talk is compacted.
  const inputTokens = name === 'talk' ? Math.ceil(raw.length / 4) : 10;
  answer(response, { model: body.model, inputTokens }, scripts[name](turn));
}

function bytes(value) {
  return Buffer.byteLength(JSON.stringify(value ?? null));
}

function pick(messages) {
  const at = messages.findLastIndex((message) => message.role === 'user' && /@scenario:/.test(ownText(message)));
  if (at < 0) return { name: 'hello', turn: 0 };
  const name = /@scenario:(\w+)/.exec(ownText(messages[at]))[1];
  return { name, turn: messages.slice(at + 1).filter((message) => message.role === 'assistant').length };
}

/** What the user said, without tool results. */
function ownText({ content }) {
  if (typeof content === 'string') return content;
  return content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');
}

async function answer(response, { model, inputTokens }, script) {
  const usage = {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 100,
    output_tokens: 1,
  };
  const send = (data) => response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const message = { id: `msg_bench${++ids}`, type: 'message', role: 'assistant', model, content: [] };
  send({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  for (const { ms } of script.filter(({ type }) => type === 'wait')) await new Promise((end) => setTimeout(end, ms));
  const blocks = script.filter(({ type }) => type !== 'wait');
  for (const [index, block] of blocks.entries()) {
    const { start, deltas } = block.type === 'text' ? textEvents(block) : toolEvents(block);
    send({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
  }
  const stop_reason = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } });
  send({ type: 'message_stop' });
  response.end();
}

function textEvents({ pieces }) {
  return { start: { type: 'text', text: '' }, deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })) };
}

function toolEvents({ name, input }) {
  const json = JSON.stringify(input);
  const half = Math.ceil(json.length / 2);
  const halves = [json.slice(0, half), json.slice(half)];
  return {
    start: { type: 'tool_use', id: `toolu_bench${++ids}`, name, input: {} },
    deltas: halves.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();
