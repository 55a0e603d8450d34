import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { afterTest } from '../support/after-test.ts';
import { startHttpMcp } from '../support/http-mcp-server.ts';
import { ROOT } from '../support/root.ts';
import { Editor } from './editor.ts';

/** A server of the protocol's own package over HTTP with SSE, as it was before streamable HTTP. */
async function startSseMcp(): Promise<{ url: string; headers: unknown[] }> {
  const headers: unknown[] = [];
  const open = new Map<string, SSEServerTransport>();
  const http = createServer(async (request, response) => {
    headers.push(request.headers['x-team']);
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST') {
      await open.get(url.searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
      return;
    }
    const transport = new SSEServerTransport('/messages', response);
    open.set(transport.sessionId, transport);
    const server = new Server({ name: 'old', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'spin', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text' as const, text: `spun ${params.name}` }],
    }));
    await server.connect(transport);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  afterTest(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`, headers };
}

describe('tools of the editor’s servers are asked about, called, and answer', () => {
  test('over http', async () => {
    const far = await startHttpMcp();
    const editor = new Editor([toolUse('mcp__far__add', {}), 'done']);
    const server = { type: 'http', name: 'far', url: far.url, headers: [] };
    await editor.prompt(await editor.open({}, { mcpServers: [server] }), 'go');
    expect(editor.asked('session/request_permission')).toHaveLength(1);
    expect(far.asked).toContain('tools/call');
    expect(editor.updates('tool_call_update').at(-1)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('woven');
  });

  test('over sse, with the headers that the editor gives', async () => {
    const old = await startSseMcp();
    const editor = new Editor([toolUse('mcp__old__spin', {}), 'done']);
    const server = { type: 'sse', name: 'old', url: old.url, headers: [{ name: 'x-team', value: 'loom' }] };
    await editor.prompt(await editor.open({}, { mcpServers: [server] }), 'go');
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('spun spin');
    expect(new Set(old.headers)).toEqual(new Set(['loom']));
  });
});

describe('a question of a server', () => {
  const server = {
    ...{ name: 'asking', command: process.execPath, env: [] },
    args: [join(ROOT, 'test/support/asking-mcp-server.mjs')],
  };
  const answer = (params: JsonObject, method: string): JsonObject =>
    method === 'elicitation/create'
      ? { action: 'accept' }
      : { outcome: { outcome: 'selected', optionId: (params.options as JsonObject[])[0]?.optionId } };

  test('at another address is put to the editor, which hears when it has been answered there', async () => {
    const editor = new Editor([toolUse('mcp__asking__sign', {}), 'done'], { answer });
    await editor.prompt(await editor.open({ elicitation: { url: {} } }, { mcpServers: [server] }), 'go');
    const [asked] = editor.asked('elicitation/create');
    expect(asked).toMatchObject({ mode: 'url', url: 'https://example.com/sign', elicitationId: 'sign-1' });
    await editor.sees(() => editor.asked('elicitation/complete').length > 0);
    expect(editor.asked('elicitation/complete')).toEqual([{ elicitationId: 'sign-1' }]);
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('signed: accept');
  });

  test('by a form is filled in there', async () => {
    const asking = { ...server, args: [...server.args, 'form'] };
    const editor = new Editor([toolUse('mcp__asking__sign', {}), 'done'], {
      answer: (params, method) =>
        method === 'elicitation/create' ? { action: 'accept', content: { name: 'Ada' } } : answer(params, method),
    });
    await editor.prompt(await editor.open({ elicitation: { form: {} } }, { mcpServers: [asking] }), 'go');
    expect(editor.asked('elicitation/create')).toMatchObject([
      { mode: 'form', message: 'asking: Who are you?', requestedSchema: { required: ['name'] } },
    ]);
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('signed: accept Ada');
  });

  test('is declined for editors that show no addresses, which hear nothing of it', async () => {
    const editor = new Editor([toolUse('mcp__asking__sign', {}), 'done'], { answer });
    await editor.prompt(await editor.open({ elicitation: { form: {} } }, { mcpServers: [server] }), 'go');
    expect(editor.asked('elicitation/create')).toEqual([]);
    expect(editor.asked('elicitation/complete')).toEqual([]);
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('signed: decline');
  });
});
