// Shows tool calls while they are written, and their results.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type SDKMessage } from 'heddle';

interface OpenCall {
  name: string;
  json: string;
}

/** Calls whose input is still arriving, by the index of their block. */
const open = new Map<number, OpenCall>();

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
await writeFile(join(cwd, 'loom.txt'), 'warp\nweft\n');
try {
  const options = { cwd, model: 'offline', includePartialMessages: true, persistSession: false };
  for await (const message of query({ prompt: 'read loom.txt then find weft', options })) show(message);
} finally {
  await rm(cwd, { recursive: true });
}

function show(message: SDKMessage): void {
  if (message.type === 'stream_event') assemble(message.event);
  if (message.type === 'user') showResults(message.message.content);
}

/** A call begins with its name, its input comes in pieces of JSON text, and it is complete when its block stops. */
function assemble(event: { type: string; index?: unknown; content_block?: unknown; delta?: unknown }): void {
  const index = event.index as number;
  if (event.type === 'content_block_start') {
    const block = event.content_block as { type: string; name?: string };
    if (block.type === 'tool_use') open.set(index, { name: block.name ?? '', json: '' });
  }
  const call = open.get(index);
  if (call && event.type === 'content_block_delta') {
    call.json += (event.delta as { partial_json?: string }).partial_json ?? '';
  }
  if (call && event.type === 'content_block_stop') {
    open.delete(index);
    console.log(`call    ${call.name} ${JSON.stringify(JSON.parse(call.json || '{}'))}`);
  }
}

/** Results come back as user messages that hold `tool_result` blocks. */
function showResults(content: Extract<SDKMessage, { type: 'user' }>['message']['content']): void {
  if (typeof content === 'string') return;
  for (const block of content) {
    if (block.type !== 'tool_result') continue;
    const [firstLine] = String(block.content).split('\n');
    console.log(`${block.is_error ? 'error  ' : 'result '} ${firstLine}`);
  }
}
