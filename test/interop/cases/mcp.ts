import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpSdkServerConfigWithInstance, McpServerStatus, Query, SDKUserMessage } from '../../../src/sdk/index.ts';
import { toolUse } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { toolResult } from '../../support/lines.ts';
import { bodyOf } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { initOf, namesOf, nextResult, toolText, user } from '../talk.ts';

const ADD = 'mcp__calc__add';
const add = (a: number, b: number) => toolUse(ADD, { a, b });

/** Tools that live in the host's program. */
export const mcpCases: InteropCase[] = [
  {
    id: 'mcp-tool',
    title: 'a tool made with tool() and createSdkMcpServer() is offered, called and answers',
    script: [add(2, 3), 'Five.'],
    async run(rig) {
      const lines = await rig.ask('2 + 3?', { mcpServers: { calc: calculator(rig) }, allowedTools: [ADD] });
      assert.match(toolText(lines), /"?5"?/);
      assert((initOf(lines).tools as string[]).includes(ADD));
      assert.deepEqual(initOf(lines).mcp_servers, [{ name: 'calc', status: 'connected', source: 'sdk' }]);
      assert.equal(lines.at(-1)?.result, 'Five.');
    },
  },
  {
    id: 'mcp-schema',
    title: 'the model gets the JSON Schema of the zod shape',
    script: ['Hello.'],
    async run(rig) {
      await rig.ask('hi', { mcpServers: { calc: calculator(rig) } });
      const tools = bodyOf(rig.api.requests[0]).tools as { name: string; input_schema?: Record<string, unknown> }[];
      const { input_schema: schema } = tools.find(({ name }) => name === ADD) ?? {};
      assert.deepEqual(Object.keys(schema?.properties as object), ['a', 'b']);
      assert.deepEqual(schema?.required, ['a', 'b']);
    },
  },
  {
    id: 'mcp-bad-input',
    title: 'an input that does not fit the shape is an error for the model',
    script: [toolUse(ADD, { a: 'two', b: 3 }), 'My mistake.'],
    async run(rig) {
      const lines = await rig.ask('2 + 3?', { mcpServers: { calc: calculator(rig) }, allowedTools: [ADD] });
      assert.equal(lines.map(toolResult).find((block) => block)?.is_error, true);
      assert.equal(lines.at(-1)?.result, 'My mistake.');
    },
  },
  {
    id: 'mcp-throws',
    title: 'a tool that throws is an error for the model, and the run goes on',
    script: [toolUse('mcp__calc__fail', {}), 'It failed.'],
    async run(rig) {
      const options = { mcpServers: { calc: calculator(rig) }, allowedTools: ['mcp__calc__fail'] };
      const lines = await rig.ask('go', options);
      assert.match(toolText(lines), /out of order/);
      assert.equal(lines.at(-1)?.result, 'It failed.');
    },
  },
  {
    id: 'mcp-image',
    title: 'an image in the answer of a tool reaches the model',
    script: [toolUse('mcp__calc__draw', {}), 'Seen.'],
    async run(rig) {
      await rig.ask('go', { mcpServers: { calc: calculator(rig) }, allowedTools: ['mcp__calc__draw'] });
      assert.match(JSON.stringify(bodyOf(rig.api.requests[1]).messages), /"type":"image"/);
    },
  },
  {
    id: 'mcp-asks',
    title: 'a tool of a server asks for permission like others',
    script: [add(2, 3), 'I may not.'],
    async run(rig) {
      const result = await rig.resultOf('2 + 3?', { mcpServers: { calc: calculator(rig) } });
      assert.deepEqual(namesOf(result.permission_denials), [ADD]);
    },
  },
  {
    id: 'mcp-side-by-side',
    title: 'two calls of one message are both answered',
    script: [[add(1, 2), add(3, 4)], 'Done.'],
    async run(rig) {
      const lines = await rig.ask('go', { mcpServers: { calc: calculator(rig) }, allowedTools: ['mcp__calc'] });
      assert.match(toolText(lines, 0) + toolText(lines, 1), /3[\s\S]*7/);
    },
  },
  {
    id: 'mcp-status',
    title: 'mcpServerStatus() lists the server and its tools',
    async run(rig) {
      const run = rig.start(new Channel<SDKUserMessage>(), { mcpServers: { calc: calculator(rig) } });
      const server = await connected(run);
      assert.equal(server.name, 'calc');
      assert(server.tools?.some(({ name }) => name === 'add'));
    },
  },
  {
    id: 'mcp-set-servers',
    title: 'setMcpServers() adds a server to a running session',
    script: [add(2, 3), 'Five.'],
    async run(rig) {
      const input = new Channel<SDKUserMessage>();
      const run = rig.start(input, { allowedTools: ['mcp__calc'] });
      const { added, errors } = await run.setMcpServers({ calc: calculator(rig) });
      assert.deepEqual([added, errors], [['calc'], {}]);
      input.push(user('2 + 3?'));
      const result = await nextResult(run);
      assert.deepEqual([result.result, result.permission_denials], ['Five.', []]);
      input.end();
    },
  },
  {
    id: 'mcp-toggle',
    title: 'toggleMcpServer() takes the tools of a server away and gives them back',
    async run(rig) {
      const run = rig.start(new Channel<SDKUserMessage>(), { mcpServers: { calc: calculator(rig) } });
      await connected(run);
      await run.toggleMcpServer('calc', false);
      assert.equal((await run.mcpServerStatus())[0]?.status, 'disabled');
      await run.toggleMcpServer('calc', true);
      await connected(run);
    },
  },
  {
    id: 'mcp-server-instance',
    title: 'a server of the official MCP SDK can be used as it is',
    script: [toolUse('mcp__greeter__greet', { name: 'Ada' }), 'Done.'],
    async run(rig) {
      const { McpServer } = await rig.load<{ McpServer: OfficialServer }>('@modelcontextprotocol/sdk/server/mcp.js');
      const instance = new McpServer({ name: 'greeter', version: '1.0.0' });
      const inputSchema = { name: rig.zod.z.string() };
      instance.registerTool('greet', { description: 'Greets', inputSchema }, async ({ name }) => ({
        content: [{ type: 'text', text: `Hello, ${name}!` }],
      }));
      const mcpServers = { greeter: { type: 'sdk', name: 'greeter', instance } as McpSdkServerConfigWithInstance };
      const lines = await rig.ask('go', { mcpServers, allowedTools: ['mcp__greeter'] });
      assert.match(toolText(lines), /Hello, Ada!/);
    },
  },
];

/** The part of the official MCP SDK that is used here. */
type OfficialServer = new (info: {
  name: string;
  version: string;
}) => McpSdkServerConfigWithInstance['instance'] & {
  registerTool(name: string, config: object, handler: (input: { name: string }) => Promise<object>): void;
};

/** The first server, once it is connected. */
async function connected(run: Query): Promise<McpServerStatus> {
  for (;;) {
    const [server] = await run.mcpServerStatus();
    if (server?.status === 'connected') return server;
    await sleep(20);
  }
}

function calculator({ sdk, zod: { z } }: Rig): McpSdkServerConfigWithInstance {
  const { tool, createSdkMcpServer } = sdk;
  return createSdkMcpServer({
    name: 'calc',
    version: '1.0.0',
    tools: [
      tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      })),
      tool('fail', 'Never works', {}, async () => {
        throw new Error('out of order');
      }),
      tool('draw', 'Draws a pixel', {}, async () => ({
        content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }],
      })),
    ],
  });
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
