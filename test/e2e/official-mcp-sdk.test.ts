import { expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { Options } from '../../src/sdk/index.ts';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';

/** A server that was written with the official MCP SDK (a devDependency) works as it is, beside and without ours. */

type Handler = (args: never, extra: { signal: AbortSignal }) => unknown;

/** As far as it is used here. */
interface McpServer {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  registerTool(name: string, config: object, handler: Handler): unknown;
}

const { McpServer } = await official<{ McpServer: new (info: object) => McpServer }>('server/mcp.js');
const { InMemoryTransport } = await official<{ InMemoryTransport: { createLinkedPair(): [object, object] } }>(
  'inMemory.js',
);
const { Client } = await official<{ Client: new (info: object) => OfficialClient }>('client/index.js');

interface OfficialClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: object[] }>;
  callTool(call: object): Promise<object>;
  close(): Promise<void>;
}

/** By a name that only the run knows: its types are not needed. */
async function official<Module>(path: string): Promise<Module> {
  const name = `@modelcontextprotocol/sdk/${path}`;
  return (await import(/* @vite-ignore */ name)) as Module;
}

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

function calculator(): McpServer {
  const server = new McpServer({ name: 'calc', version: '1.2.3' });
  const add = ({ a, b }: { a: number; b: number }) => textResult(String(a + b));
  server.registerTool('add', { description: 'Adds', inputSchema: { a: z.number(), b: z.number() } }, add as Handler);
  server.registerTool('add3', { inputSchema: { a: z3.number(), b: z3.number() } }, add as Handler);
  server.registerTool('boom', {}, () => {
    throw new Error('kaboom');
  });
  return server;
}

async function ask(script: AnswerLike[], options: Options): Promise<Line[]> {
  const place = await makePlace(script);
  const lines: Line[] = [];
  const base: Options = { cwd: place.cwd, env: place.env, allowedTools: ['mcp__calc'] };
  for await (const message of sdk.query({ prompt: 'go', options: { ...base, ...options } })) {
    lines.push(message as unknown as Line);
  }
  return lines;
}

const withServer = (instance: McpServer): Options => ({
  mcpServers: { calc: { type: 'sdk', name: 'calc', instance } },
});
const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);

test('[MCP-04, B-250] its tools run, fail and check their input', async () => {
  const calls = [
    toolUse('mcp__calc__add', { a: 2, b: 3 }),
    toolUse('mcp__calc__add3', { a: 2, b: 4 }),
    toolUse('mcp__calc__add', { a: 'two' }),
    toolUse('mcp__calc__boom', {}),
  ];
  const lines = await ask([...calls, 'ok'], withServer(calculator()));
  expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 'calc', status: 'connected' }] });
  expect(resultsIn(lines)).toMatchObject([
    { content: [{ text: '5' }] },
    { content: [{ text: '6' }] },
    { is_error: true, content: expect.stringContaining('Invalid arguments') },
    { is_error: true, content: 'kaboom' },
  ]);
});

test('one after the other, and in this process, it serves several queries', async () => {
  const server = calculator();
  const engine = engineModule.createEngine({ cwd: '/nonexistent' });
  const script = () => [toolUse('mcp__calc__add', { a: 2, b: 3 }), 'ok'];
  for (const transport of [undefined, engineModule.inProcess(engine), undefined]) {
    const lines = await ask(script(), { ...withServer(server), ...(transport && { transport }) });
    expect(resultsIn(lines)).toMatchObject([{ content: [{ text: '5' }] }]);
  }
  await engine.close();
});

test('its running call is cancelled with the turn', async () => {
  const server = calculator();
  let isAborted = false;
  server.registerTool('hang', {}, (...args: unknown[]) => {
    const { signal } = args.at(-1) as { signal: AbortSignal };
    signal.addEventListener('abort', () => {
      isAborted = true;
    });
    return new Promise(() => {});
  });
  const lines = await ask([toolUse('mcp__calc__hang', {}), 'never'], { ...withServer(server), maxDurationMs: 800 });
  await eventually(() => isAborted);
  expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: true });
});

test('its client understands a server of ours', async () => {
  const add = sdk.tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => String(a + b));
  const { instance } = sdk.createSdkMcpServer({ name: 'calc', version: '2.0.0', tools: [add] });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await instance.connect(far);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(near);
  expect(await client.listTools()).toMatchObject({ tools: [{ name: 'add', inputSchema: { required: ['a', 'b'] } }] });
  expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toEqual(textResult('5'));
  expect(await client.callTool({ name: 'add', arguments: { a: 'x' } })).toMatchObject({ isError: true });
  await expect(client.callTool({ name: 'mul', arguments: {} })).rejects.toThrow('Tool mul not found');
  await client.close();
});
