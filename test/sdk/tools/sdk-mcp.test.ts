import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type CustomTool, type ToolExtra, tool } from '../../../src/define/tool.ts';
import type { McpSdkServerConfigWithInstance } from '../../../src/sdk/options/option-types.ts';
import { createSdkMcpServer, type SdkMcpToolDefinition } from '../../../src/sdk/tools/sdk-mcp.ts';
import { SdkServers } from '../../../src/sdk/tools/sdk-servers.ts';
import type { McpTransport } from '../../../src/sdk/tools/server-link.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { ControlBody, RequestContext } from '../../../src/wire/link/peer.ts';
import { eventually } from '../../support/processes.ts';

const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => String(a + b));

/** The servers of a connection, spoken to as an agent would. */
function connect(
  config: McpSdkServerConfigWithInstance,
  callAgent = vi.fn(async (_: ControlBody): Promise<unknown> => ({})),
) {
  const told: string[] = [];
  const report = ({ message }: Error) => void told.push(message);
  const servers = new SdkServers(new Map([['calc', config.instance]]), { callAgent, report });
  onTestFinished(() => servers.close());
  const send = async (message: object, signal = new AbortController().signal): Promise<JsonObject> => {
    const request = { subtype: 'mcp_message', server_name: 'calc', message };
    const { mcp_response } = await servers.answer(request, { signal } as RequestContext);
    return mcp_response;
  };
  const request = (method: string, params?: object, id: string | number = 1) =>
    send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  const call = (name: string, args: object = {}, id: string | number = 1) =>
    request(
      'tools/call',
      { name, arguments: args, _meta: { 'claudecode/toolUseId': 'toolu_1', progressToken: 9 } },
      id,
    );
  return { servers, callAgent, send, request, call, told };
}

const calc = (...tools: CustomTool[]) => createSdkMcpServer({ name: 'calc', version: '1.2.3', tools });

describe('a server made with createSdkMcpServer', () => {
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['1999-01-01', '2025-11-25'],
  ])('[MCP-09, MCP-13] asked for the version %s speaks %s', async (protocolVersion, spoken) => {
    const { request } = connect(calc(add));
    expect(await request('initialize', { protocolVersion, capabilities: {}, clientInfo: {} }, 0)).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: spoken,
        capabilities: { tools: {} },
        serverInfo: { name: 'calc', version: '1.2.3' },
      },
    });
  });

  test('[MCP-10] answers notifications, as the reference does', async () => {
    const { send } = connect(calc(add));
    const answer = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(answer).toEqual({ jsonrpc: '2.0', result: {}, id: 0 });
  });

  test('[MCP-11, B-025] lists its tools with what they say of themselves', async () => {
    const hinted = tool('hint', '', {}, () => '', { annotations: { readOnlyHint: true }, alwaysLoad: true });
    const { request } = connect(calc(add, hinted));
    const { result } = await request('tools/list');
    expect(result).toEqual({
      tools: [
        {
          name: 'add',
          description: 'Adds',
          inputSchema: expect.objectContaining({ type: 'object', required: ['a', 'b'] }),
        },
        {
          name: 'hint',
          description: '',
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
          annotations: { readOnlyHint: true },
          _meta: { 'anthropic/alwaysLoad': true },
        },
      ],
    });
  });

  test('[MCP-12] calls a tool; a tool and a method that are not there are errors of JSON-RPC', async () => {
    const { request, call } = connect(calc(add));
    expect(await call('add', { a: 2, b: 3 }, 'seven')).toEqual({
      jsonrpc: '2.0',
      id: 'seven',
      result: { content: [{ type: 'text', text: '5' }] },
    });
    expect(await call('mul')).toMatchObject({ error: { code: -32602, message: 'Tool mul not found' } });
    expect(await request('resources/list')).toMatchObject({ error: { code: -32601 } });
    expect(await request('constructor')).toMatchObject({ error: { code: -32601 } });
    expect(await request('ping')).toMatchObject({ result: {} });
    const boom = tool('boom', '', {}, () => {
      throw new Error('kaboom');
    });
    const failed = { isError: true, content: [{ type: 'text', text: 'kaboom' }] };
    expect(await connect(calc(boom)).call('boom')).toMatchObject({ result: failed });
  });

  test('[M-10] checks the input, and the words name the field', async () => {
    const { call } = connect(calc(add));
    const { result } = await call('add', { a: 2, b: 'x' });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('\nb: ') }] });
    const { result: odd } = await call('add', JSON.parse('{"a":1,"b":1,"__proto__":{}}'));
    expect(odd).toMatchObject({ isError: true });
  });

  test('gives the handler what MCP servers give, and carries its progress', async () => {
    let given: ToolExtra | undefined;
    const spy = tool('spy', '', {}, async (_args, extra) => {
      given = extra;
      await extra.sendNotification?.({ method: 'notifications/progress', params: { progress: 1 } });
      return 'ok';
    });
    const { call, callAgent } = connect(calc(spy));
    await call('spy');
    expect(given).toMatchObject({ toolUseId: 'toolu_1', _meta: { progressToken: 9 } });
    expect(given?.signal.aborted).toBe(false);
    expect(callAgent.mock.calls).toEqual([
      [
        {
          subtype: 'mcp_message',
          server_name: 'calc',
          message: { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
        },
      ],
    ]);
  });

  test('[K45] requests of one id that run at once get each its own response', async () => {
    const slow = tool('slow', '', { ms: z.number() }, async ({ ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return `${ms}`;
    });
    const { call } = connect(calc(slow));
    const answers = await Promise.all([30, 10, 20].map((ms) => call('slow', { ms }, 0)));
    expect(answers).toMatchObject(['30', '10', '20'].map((text) => ({ id: 0, result: { content: [{ text }] } })));
  });

  test.each(['notifications/cancelled', 'a withdrawn request'])('aborts a running call on %s', async (how) => {
    const signals: AbortSignal[] = [];
    const hang = tool('hang', '', {}, (_args, { signal }) => {
      signals.push(signal);
      return new Promise<string>(() => {});
    });
    const { send } = connect(calc(hang));
    const stop = new AbortController();
    const running = send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'hang' } }, stop.signal);
    running.catch(() => {});
    await eventually(() => signals.length === 1);
    if (how === 'a withdrawn request') stop.abort();
    else await send({ jsonrpc: '2.0', method: how, params: { requestId: 4 } });
    await eventually(() => signals[0]?.aborted === true);
  });

  test('closes every connection, and what runs in it', async () => {
    const signals: AbortSignal[] = [];
    const hang = tool('hang', '', {}, (_args, { signal }) => {
      signals.push(signal);
      return new Promise<string>(() => {});
    });
    const config = calc(add, hang);
    const { call } = connect(config);
    const running = call('hang');
    running.catch(() => {});
    await eventually(() => signals.length === 1);
    await config.instance.close?.();
    await expect(running).rejects.toThrow('The MCP server was closed');
    expect(signals[0]?.aborted).toBe(true);
    expect(await call('add', { a: 1, b: 1 })).toMatchObject({ result: { content: [{ text: '2' }] } });
  });

  test('a tool with a schema that cannot be used is told when the tools are asked for', async () => {
    const { request } = connect(calc(tool('odd', '', z.array(z.string()), () => '')));
    expect(await request('tools/list')).toMatchObject({
      error: { message: expect.stringMatching(/The input of the tool odd cannot be used: .*object/) },
    });
  });

  test('is refused without a name, and with twins', () => {
    expect(() => createSdkMcpServer({ name: '' })).toThrow('name must be a string that is not empty, got ""');
    expect(() => createSdkMcpServer({} as never)).toThrow('An MCP server needs a name: createSdkMcpServer({ name');
    expect(() => calc(add, add)).toThrow('Two tools of the MCP server calc are named add');
  });
});

describe('a server of somebody else', () => {
  /** Says what it is told to, and keeps what it hears. */
  function foreign() {
    const heard: JsonObject[] = [];
    let transport: McpTransport | undefined;
    const instance = {
      async connect(given: unknown) {
        transport = given as McpTransport;
        transport.onmessage = (message) => heard.push(message);
        await transport.start();
      },
    };
    const server: McpSdkServerConfigWithInstance = { type: 'sdk', name: 'calc', instance };
    return { heard, server, say: (message: JsonObject) => transport?.send(message) };
  }

  test('may ask the agent, and hears its answer or why there is none', async () => {
    const { heard, server, say } = foreign();
    const callAgent = vi.fn(async ({ message }: ControlBody): Promise<unknown> => {
      if ((message as JsonObject).method === 'ping')
        return { mcp_response: { jsonrpc: '2.0', id: 'other', result: {} } };
      throw new Error('Unsupported');
    });
    const { send } = connect(server, callAgent);
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await say({ jsonrpc: '2.0', id: 2, method: 'roots/list' });
    await eventually(() => heard.length === 3);
    expect(heard.slice(1)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Unsupported' } },
    ]);
  });

  test('that cannot be connected is tried again with the next message', async () => {
    const connectServer = vi.fn().mockRejectedValueOnce(new Error('Already connected')).mockResolvedValue(undefined);
    const server: McpSdkServerConfigWithInstance = { type: 'sdk', name: 'calc', instance: { connect: connectServer } };
    const { send } = connect(server);
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await expect(send(note)).rejects.toThrow('Already connected');
    await expect(send(note)).resolves.toMatchObject({ result: {} });
  });

  test('that nobody has given is not there', async () => {
    const servers = new SdkServers(new Map(), { callAgent: async () => ({}), report: () => {} });
    const request = { subtype: 'mcp_message', server_name: 'nope', message: { method: 'ping', id: 1 } };
    const context = { signal: new AbortController().signal } as RequestContext;
    await expect(servers.answer(request, context)).rejects.toThrow("There is no SDK MCP server 'nope'");
    await expect(servers.answer({ ...request, message: 'hi' }, context)).rejects.toThrow('must be a JSON-RPC message');
  });

  test('[QM-12] can be added and replaced beside those of the options', async () => {
    const [first, second] = [foreign(), foreign()];
    const { servers } = connect(calc(add));
    const context = { signal: new AbortController().signal } as RequestContext;
    const tell = (method: string) =>
      servers.answer({ subtype: 'mcp_message', server_name: 'more', message: { method, jsonrpc: '2.0' } }, context);
    await servers.add(new Map([['more', first.server.instance]]));
    await tell('one');
    await servers.add(new Map([['more', second.server.instance]]));
    await tell('two');
    expect([first.heard, second.heard].map((heard) => heard.map(({ method }) => method))).toEqual([['one'], ['two']]);
  });
});

test('[MCP-17] the names of the reference are there for types', () => {
  expectTypeOf(add).toExtend<SdkMcpToolDefinition<{ a: z.ZodString }>>();
  expectTypeOf(createSdkMcpServer).returns.toEqualTypeOf<McpSdkServerConfigWithInstance>();
  // As code for the reference is written: an unknown extra, a promise.
  tool('t', '', { a: z.string() }, async (args, _extra: unknown) => ({ content: [{ type: 'text', text: args.a }] }));
});
