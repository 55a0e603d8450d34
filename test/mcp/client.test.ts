import { describe, expect, test, vi } from 'vitest';
import { McpClient, type McpClientOptions, type McpLink } from '../../src/mcp/client.ts';
import { sdkLink } from '../../src/mcp/sdk-bridge.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { RpcNotification, RpcRequest } from '../../src/wire/link/json-rpc.ts';

type Answer = (message: RpcRequest) => JsonObject | Promise<JsonObject>;

/** A client and what it sent. */
function client(answer: Answer, options: Partial<McpClientOptions> = {}) {
  const sent: (RpcRequest | RpcNotification)[] = [];
  const link: McpLink = {
    async request(message) {
      sent.push(message);
      return answer(message);
    },
    async notify(message) {
      sent.push(message);
    },
    close: vi.fn(async () => {}),
  };
  const made = new McpClient({ link, timeoutMs: 1000, onListChanged: () => {}, ...options });
  return { client: made, sent, methods: () => sent.map(({ method }) => method) };
}

const signal = new AbortController().signal;
const never = () => new Promise<JsonObject>(() => {});
const call = { name: 'add', arguments: { a: 1 }, toolUseId: 'toolu_1' };

describe('introductions', () => {
  test('are made once, and tell who the server is', async () => {
    const { client: made, methods } = client(() => ({ result: { serverInfo: { name: 'calc', version: '1' } } }));
    await made.initialize(signal);
    expect(made.serverInfo).toEqual({ name: 'calc', version: '1' });
    expect(methods()).toEqual(['initialize', 'notifications/initialized']);
  });

  test('that are refused, or answered with nothing, are told', async () => {
    const refusing = client(() => ({ error: { code: -32000, message: 'go away' } }));
    await expect(refusing.client.initialize(signal)).rejects.toThrow('go away');
    await expect(client(() => ({})).client.initialize(signal)).rejects.toThrow('neither a result nor an error');
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('are made in the version %s', async (version) => {
    const { client: made } = client(() => ({ result: { protocolVersion: version } }));
    await expect(made.initialize(signal)).resolves.toBeUndefined();
  });

  test('in a version that is not spoken here are none', async () => {
    const { client: made, methods } = client(() => ({
      result: { protocolVersion: `2099-01-01\u001b${'x'.repeat(500)}` },
    }));
    const problem = await made.initialize(signal).catch((error: Error) => error.message);
    expect(problem).toMatch(/^it speaks the version 2099-01-01.{0,60} of MCP, and Heddle speaks 2025-11-25,/);
    expect(problem).not.toContain('\u001b');
    expect(methods()).toEqual(['initialize']);
  });
});

describe('lists of tools', () => {
  test('are read page by page, and what is no tool is left out', async () => {
    const pages: Record<string, object> = {
      none: { tools: [{ name: 'a' }, { name: '' }, 'x'], nextCursor: 'p2' },
      p2: { tools: [{ name: 'b', inputSchema: { properties: {} }, annotations: { readOnlyHint: true } }] },
    };
    const { client: made } = client(({ params }) => ({ result: pages[String(params?.cursor ?? 'none')] }));
    expect(await made.listTools(signal)).toEqual([
      {
        name: 'a',
        description: '',
        inputSchema: { type: 'object', properties: {} },
        annotations: {},
        alwaysLoad: false,
      },
      {
        name: 'b',
        description: '',
        inputSchema: { type: 'object', properties: {} },
        annotations: { readOnlyHint: true },
        alwaysLoad: false,
      },
    ]);
  });

  test('that never end are cut off', async () => {
    let page = 0;
    const { client: made, sent } = client(() => ({ result: { tools: [], nextCursor: `p${++page}` } }));
    await made.listTools(signal);
    expect(sent).toHaveLength(100);
  });

  test('[K45] of a manifest hold at the start only', async () => {
    const manifest = {
      initializeResult: { serverInfo: { name: 'calc' } },
      toolsListResult: { tools: [{ name: 'a' }] },
    };
    const { client: made, sent } = client(() => ({ result: { tools: [{ name: 'b' }] } }), { manifest });
    await made.initialize(signal);
    expect((await made.listTools(signal)).map(({ name }) => name)).toEqual(['a']);
    expect(sent).toEqual([]);
    expect((await made.listTools(signal)).map(({ name }) => name)).toEqual(['b']);
  });
});

test('a server that says it has prompts and no tools is not asked for tools', async () => {
  const capabilities = { prompts: {} };
  const { client: made, methods } = client(() => ({ result: { capabilities, instructions: 'Be quick' } }));
  await made.initialize(signal);
  expect(await made.listTools(signal)).toEqual([]);
  expect(methods()).toEqual(['initialize', 'notifications/initialized']);
  expect(made.details).toMatchObject({ capabilities, instructions: 'Be quick' });
});

describe('calls', () => {
  test('that are aborted are cancelled at the server', async () => {
    const stop = new AbortController();
    const { client: made, sent } = client(async () => {
      stop.abort(new Error('enough'));
      throw new Error('withdrawn');
    });
    await expect(made.callTool(call, { signal: stop.signal, timeoutMs: 1000 })).rejects.toThrow('enough');
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 0 } });
  });

  test('[C-2] have their time, which progress renews', async () => {
    vi.useFakeTimers();
    try {
      const link = (rejectWith: AbortSignal) =>
        new Promise<JsonObject>((_, reject) => rejectWith.addEventListener('abort', () => reject(rejectWith.reason)));
      const made = new McpClient({
        link: { request: (_message, given) => link(given), notify: async () => {}, close: async () => {} },
        timeoutMs: 1000,
        onListChanged: () => {},
      });
      const running = made.callTool(call, { signal, timeoutMs: 500 });
      const outcome = running.catch((error: Error) => error.message);
      await vi.advanceTimersByTimeAsync(400);
      made.receive({ method: 'notifications/progress', params: { progressToken: 0, progress: 1 } });
      await vi.advanceTimersByTimeAsync(400);
      made.receive({ method: 'notifications/progress', params: { progressToken: 7, progress: 1 } });
      await vi.advanceTimersByTimeAsync(101);
      expect(await outcome).toBe('tools/call: no answer within 500 ms');
    } finally {
      vi.useRealTimers();
    }
  });

  test('tell how far they are', async () => {
    const told: object[] = [];
    const { client: made } = client(async () => {
      await made.receive({ method: 'notifications/progress', params: { progressToken: 0, progress: 1, total: 4 } });
      await made.receive({
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 'x', message: 'on' },
      });
      return { result: {} };
    });
    await made.callTool(call, { signal, timeoutMs: 1000, onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([{ progress: 1, total: 4 }, { message: 'on' }]);
  });

  test('leave no listener behind', async () => {
    const { client: made } = client(() => ({ result: {} }));
    const stop = new AbortController();
    const add = vi.spyOn(stop.signal, 'addEventListener');
    const remove = vi.spyOn(stop.signal, 'removeEventListener');
    await made.callTool(call, { signal: stop.signal, timeoutMs: 1000 });
    expect(add.mock.calls.length).toBe(remove.mock.calls.length);
  });
});

describe('what a server says by itself', () => {
  const ask = (method: string, id: string | number = 1) => ({ jsonrpc: '2.0', id, method, params: { n: 1 } });

  test('a ping is answered, and what nobody knows is an error', async () => {
    const { client: made } = client(never);
    expect(await made.receive(ask('ping'))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await made.receive(ask('sampling/createMessage', 2))).toMatchObject({ id: 2, error: { code: -32601 } });
    expect(await made.receive({ jsonrpc: '2.0', method: 'notifications/message' })).toBeNull();
  });

  test('a request goes to the session, and so does its failure', async () => {
    const answer: McpClientOptions['answer'] = (method, params) => {
      if (method === 'roots/list') return Promise.resolve({ roots: [], got: params });
      return method === 'boom' ? Promise.reject(new Error('no roots')) : undefined;
    };
    const { client: made } = client(never, { answer });
    expect(await made.receive(ask('roots/list'))).toMatchObject({ id: 1, result: { roots: [], got: { n: 1 } } });
    expect(await made.receive(ask('boom'))).toMatchObject({ error: { code: -32603, message: 'no roots' } });
    expect(await made.receive(ask('other'))).toMatchObject({ error: { code: -32601 } });
  });

  test('what it withdraws is not answered any more, nor what is open when the connection ends', async () => {
    const answer: McpClientOptions['answer'] = (_method, _params, given) =>
      new Promise((_resolve, reject) => given.addEventListener('abort', () => reject(new Error('withdrawn'))));
    const { client: made } = client(never, { answer });
    const [first, second] = [made.receive(ask('slow', 'a')), made.receive(ask('slow', 'b'))];
    await made.receive({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(await first).toBeNull();
    await made.close();
    expect(await second).toBeNull();
  });

  test('requests beyond 32 at once are refused, and so is an id that is taken; then there is room again', async () => {
    const answers: (() => void)[] = [];
    const answer: McpClientOptions['answer'] = () => new Promise((resolve) => answers.push(() => resolve({})));
    const { client: made } = client(never, { answer });
    const running = Array.from({ length: 32 }, (_, id) => made.receive(ask('slow', id)));
    expect(await made.receive(ask('slow', 5))).toMatchObject({ id: 5, error: { code: -32600 } });
    expect(await made.receive(ask('slow', 32))).toMatchObject({
      id: 32,
      error: { message: expect.stringContaining('32 requests') },
    });
    expect(await made.receive(ask('ping', 33))).toMatchObject({ result: {} });
    expect(answers).toHaveLength(32);
    for (const settle of answers.splice(0)) settle();
    await Promise.all(running);
    const next = made.receive(ask('slow', 32));
    answers[0]?.();
    expect(await next).toMatchObject({ id: 32, result: {} });
  });

  test.each(['tools', 'prompts', 'resources'])('that its %s have changed is told', async (list) => {
    const onListChanged = vi.fn();
    const { client: made } = client(never, { onListChanged });
    await made.receive({ method: `notifications/${list}/list_changed` });
    expect(onListChanged).toHaveBeenCalledWith(list);
  });

  test('other notifications are heard', async () => {
    const observe = vi.fn();
    const { client: made } = client(never, { observe });
    await made.receive({ method: 'notifications/message', params: { level: 'info', data: 'hello' } });
    expect(observe).toHaveBeenCalledWith('notifications/message', { level: 'info', data: 'hello' });
  });
});

describe('the link to a server of the host', () => {
  const request: RpcRequest = { jsonrpc: '2.0', id: 5, method: 'ping' };

  test('takes what answers the control request, whatever its id', async () => {
    const call = vi.fn(async () => ({ mcp_response: { jsonrpc: '2.0', id: 0, result: {} } }));
    expect(await sdkLink('calc', call).request(request, signal)).toMatchObject({ result: {} });
    expect(call).toHaveBeenCalledWith({ subtype: 'mcp_message', server_name: 'calc', message: request }, { signal });
  });

  test.each([undefined, {}, { mcp_response: 5 }])('an answer without a response is an error: %j', async (answer) => {
    const link = sdkLink('calc', async () => answer);
    await expect(link.request(request, signal)).rejects.toThrow('without a response');
  });
});
