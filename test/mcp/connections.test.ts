import { describe, expect, test, vi } from 'vitest';
import { McpClient } from '../../src/mcp/client.ts';
import { createConnections } from '../../src/mcp/connections.ts';
import type { ServerDefinition } from '../../src/mcp/server-definition.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { RpcRequest } from '../../src/wire/link/json-rpc.ts';

const signal = new AbortController().signal;
const call = { name: 'add', arguments: {}, toolUseId: 't' };

/** A server whose answers can be changed. */
function server(name: string, answers: Record<string, unknown> = {}) {
  const state: Record<string, unknown> = {
    initialize: { serverInfo: { name, version: '1' } },
    'tools/list': { tools: [{ name: 'add', annotations: { readOnlyHint: true, destructiveHint: false } }] },
    'tools/call': { content: [] },
    ...answers,
  };
  const close = vi.fn(async () => {});
  const definition: ServerDefinition = {
    name,
    scope: 'dynamic',
    source: 'sdk',
    transport: 'sdk',
    config: { type: 'sdk', name },
    open: (dependencies) => new McpClient({ link, timeoutMs: 1000, ...dependencies }),
  };
  const link = {
    async request({ method }: RpcRequest, given: AbortSignal): Promise<JsonObject> {
      const answer = state[method];
      if (answer instanceof Error) throw answer;
      if (answer !== undefined) return { result: answer };
      return new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason)));
    },
    notify: async () => {},
    close,
  };
  return { definition, state, close };
}

function connections(startupMs = 1000) {
  const logs: string[] = [];
  const made = createConnections({ startupMs, log: (level, message) => logs.push(`${level}: ${message}`) });
  const short = () => made.statuses().map(({ name, status }) => `${name} ${status}`);
  return { made, logs, short };
}

describe('[C-1, MCP-15] servers', () => {
  test('connect beside each other, and one that fails fails alone', async () => {
    const { made, logs, short } = connections();
    made.add(server('good').definition);
    made.add(server('bad', { initialize: new Error('no such loom') }).definition);
    made.add(server('odd', { 'tools/list': {} }).definition);
    expect(short()).toEqual(['good pending', 'bad pending', 'odd pending']);
    await made.settled();
    expect(short()).toEqual(['good connected', 'bad failed', 'odd failed']);
    expect(made.tools().map(({ server: of, info }) => `${of} ${info.name}`)).toEqual(['good add']);
    expect(made.statuses()[0]).toMatchObject({ tools: [{ name: 'add', annotations: { readOnly: true } }] });
    expect(made.statuses()[1]).toMatchObject({ error: 'no such loom', config: { type: 'sdk', name: 'bad' } });
    expect(logs).toEqual([
      'warn: The MCP server bad failed: no such loom',
      'warn: The MCP server odd failed: The server sent no list of tools',
    ]);
  });

  test('[C-2] that do not answer in time have failed', async () => {
    const { made, short, logs } = connections(30);
    const slow = server('slow', { initialize: undefined });
    made.add(slow.definition);
    await made.settled();
    expect(short()).toEqual(['slow failed']);
    expect(logs).toEqual(['warn: The MCP server slow failed: it did not answer within 30 ms']);
    slow.state.initialize = {};
    await made.reconnect('slow');
    expect(short()).toEqual(['slow connected']);
  });

  test('are switched off and on; their tools say so meanwhile and work again afterwards', async () => {
    const { made, short } = connections();
    const { definition, close } = server('calc');
    made.add(definition);
    await made.settled();
    const [add] = made.tools();
    await made.setEnabled('calc', false);
    expect([short(), made.tools(), close.mock.calls.length]).toEqual([['calc disabled'], [], 1]);
    await expect(add?.call(call, { signal, timeoutMs: 100 })).rejects.toThrow('calc is not connected: disabled');
    await made.setEnabled('calc', true);
    await made.setEnabled('calc', true);
    expect(await add?.call(call, { signal, timeoutMs: 100 })).toEqual({ content: [] });
  });

  test('that are removed while they connect are gone', async () => {
    const { made, short } = connections();
    made.add(server('calc', { initialize: undefined }).definition);
    await made.remove('calc');
    await made.settled();
    expect([short(), made.has('calc')]).toEqual([[], false]);
  });

  test('that are not there are told', async () => {
    const { made } = connections();
    await expect(made.reconnect('nope')).rejects.toThrow('Server not found: nope');
    await expect(made.setEnabled('nope', true)).rejects.toThrow('Server not found: nope');
    await expect(made.receive('nope', {})).rejects.toThrow('Server not found: nope');
  });

  test('tell when their tools change, and the version rises', async () => {
    const { made, logs } = connections();
    const { definition, state } = server('calc');
    made.add(definition);
    made.add(definition);
    await made.settled();
    const before = made.version;
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    state['tools/list'] = { tools: [{ name: 'mul' }] };
    made.receive('calc', changed);
    await vi.waitFor(() => expect(made.version).toBeGreaterThan(before));
    expect(made.tools().map(({ info }) => info.name)).toEqual(['mul']);
    state['tools/list'] = new Error('lost');
    made.receive('calc', changed);
    await vi.waitFor(() => expect(logs).toHaveLength(1));
    expect(made.tools()).toHaveLength(1);
  });

  test('that tell of changes all the time are asked one time after the other, and the last answer counts', async () => {
    const { made } = connections();
    const { definition, state } = server('calc');
    const waiting: ((tools: unknown) => void)[] = [];
    const open: ServerDefinition['open'] = async (dependencies) => {
      const client = await definition.open(dependencies);
      const { listTools } = client;
      client.listTools = (given) =>
        waiting.length === 0 && state.isFirst === undefined
          ? listTools.call(client, given)
          : new Promise((resolve) => waiting.push(resolve as (tools: unknown) => void));
      return client;
    };
    made.add({ ...definition, open });
    await made.settled();
    state.isFirst = false;
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    for (let n = 0; n < 5; n++) await made.receive('calc', changed);
    expect(waiting).toHaveLength(1);
    waiting[0]?.([{ name: 'old' }]);
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    waiting[1]?.([{ name: 'new' }]);
    await vi.waitFor(() => expect(made.tools().map(({ info }) => info.name)).toEqual(['new']));
    expect(waiting).toHaveLength(2);
  });

  test('that tell of changes without end are asked again only after a pause', async () => {
    vi.useFakeTimers();
    try {
      const { made } = connections();
      const { definition, state } = server('calc');
      let readings = 0;
      Object.defineProperty(state, 'tools/list', {
        get() {
          readings++;
          const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
          if (readings < 1000) void made.receive('calc', changed); // so that this ends in any case
          return { tools: [{ name: `t${readings}` }] };
        },
      });
      made.add(definition);
      await made.settled();
      await made.receive('calc', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      const before = readings;
      await vi.advanceTimersByTimeAsync(5000);
      expect(readings - before).toBe(10);
      await made.close();
      await vi.advanceTimersByTimeAsync(0);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('tell what of them is not taken', async () => {
    const { made, logs } = connections();
    const tools = [{ name: 'add' }, { name: 'huge', inputSchema: { $comment: 'x'.repeat(300_000) } }];
    made.add(server('calc', { 'tools/list': { tools } }).definition);
    await made.settled();
    expect(made.tools().map(({ info }) => info.name)).toEqual(['add']);
    expect(logs).toEqual([expect.stringMatching(/^warn: The MCP server calc has tools that are too large: /)]);
  });

  test('whose tools change while they introduce themselves are asked again', async () => {
    const { made } = connections();
    const { definition, state } = server('calc', { initialize: { capabilities: { tools: {}, prompts: {} } } });
    const open: ServerDefinition['open'] = async (dependencies) => {
      const client = await definition.open(dependencies);
      const { listPages } = client;
      client.listPages = (method, ...rest) => {
        if (method === 'prompts/list') {
          state['tools/list'] = { tools: [{ name: 'mul' }] };
          void client.receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        }
        return listPages.call(client, method, ...rest) as never;
      };
      return client;
    };
    state['prompts/list'] = { prompts: [] };
    made.add({ ...definition, open });
    await made.settled();
    expect(made.tools().map(({ info }) => info.name)).toEqual(['mul']);
  });

  test('that wait and are switched off meanwhile stay off', async () => {
    const { made, short } = connections();
    made.add(server('calc').definition, { waits: true });
    await made.setEnabled('calc', false);
    made.begin('calc');
    await made.settled();
    expect(short()).toEqual(['calc disabled']);
  });

  test('nothing is connected once all is over, whatever was asked for before', async () => {
    const { made, short } = connections();
    const opened = vi.fn();
    const { definition } = server('calc');
    const open: ServerDefinition['open'] = (dependencies) => {
      opened();
      return definition.open(dependencies);
    };
    made.add({ ...definition, open });
    await made.settled();
    const again = made.reconnect('calc');
    const closed = made.close();
    await expect(again).rejects.toThrow('Server not found: calc');
    await closed;
    made.add({ ...definition, open });
    expect([short(), opened.mock.calls.length]).toEqual([[], 1]);
  });

  test('that are lost are connected anew, more and more rarely, and given up in the end', async () => {
    const logs: string[] = [];
    const made = createConnections({ startupMs: 1000, log: (_, text) => logs.push(text), retryMs: [1, 1] });
    const { definition, state } = server('calc');
    let lose: (reason: Error) => void = () => {};
    const open: ServerDefinition['open'] = (dependencies) => {
      lose = dependencies.onLost;
      return definition.open(dependencies);
    };
    made.add({ ...definition, open });
    await made.settled();
    const [add] = made.tools();
    lose(new Error('it died'));
    expect(made.statuses()).toMatchObject([{ status: 'pending', error: 'it died' }]);
    expect(made.tools()).toHaveLength(1);
    expect(await add?.call(call, { signal, timeoutMs: 100 })).toEqual({ content: [] });
    state.initialize = new Error('no more');
    lose(new Error('it died'));
    await vi.waitFor(() => expect(made.statuses()).toMatchObject([{ status: 'failed' }]));
    expect(logs.at(-1)).toBe('The MCP server calc failed: no more (given up after 2 attempts to connect it again)');
    expect(made.tools()).toEqual([]);
  });
});
