import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';

/** A host without an SDK, and the command line's side of `mcp_message` (wire.md 11.1). */

interface Rpc {
  method: string;
  id?: number;
  params?: Record<string, unknown>;
}

const CALC = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'calc', version: '1.2.3' },
};
const ADD = { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };
const SDK_CONFIG = ['--mcp-config', '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}'];
const ALLOW = ['--allowedTools', 'mcp__calc__add'];
const adding = () => [toolUse('mcp__calc__add', { a: 2, b: 3 }), 'Added.'];

/** Answers as a server would; what it does not know stays without an answer. */
const ANSWERS: Record<string, object> = {
  initialize: { result: CALC },
  'notifications/initialized': { result: {} },
  'notifications/cancelled': { result: {} },
  'tools/list': { result: { tools: [ADD] } },
  'tools/call': { result: { content: [{ type: 'text', text: '5' }] } },
};

/** Answers every `mcp_message` so far and from now on; returns what was asked, in order. */
function serveCalc(cli: RunningCli, answers: Record<string, object> = ANSWERS): Rpc[] {
  const asked: Rpc[] = [];
  const served = new Set<Line>();
  const serve = () => {
    for (const line of cli.lines) {
      const request = line.request as { subtype: string; message: Rpc } | undefined;
      if (line.type !== 'control_request' || request?.subtype !== 'mcp_message' || served.has(line)) continue;
      served.add(line);
      asked.push(request.message);
      const answer = answers[request.message.method];
      if (!answer) continue;
      // Of a notification the reference's host says id 0, too.
      const mcp_response = { jsonrpc: '2.0', id: request.message.id ?? 0, ...answer };
      const response = { subtype: 'success', request_id: line.request_id, response: { mcp_response } };
      cli.send({ type: 'control_response', response });
    }
  };
  cli.child.stdout?.on('data', serve);
  return asked;
}

const methods = (asked: Rpc[]) => asked.map(({ method }) => method);

describe('[K45] servers of a host', () => {
  test('[MCP-08] are named by initialize and introduced over mcp_message, each message as the reference has it', async () => {
    const place = await makePlace(adding());
    const cli = startCli([...STREAM_BOTH, ...SDK_CONFIG, ...ALLOW], { place });
    const asked = serveCalc(cli);
    await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'], systemPrompt: '' });
    cli.say('go');
    const result = await cli.nextResult();
    expect(result).toMatchObject({ subtype: 'success', result: 'Added.' });
    expect(asked).toEqual([
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'heddle', version: expect.any(String) },
        },
        jsonrpc: '2.0',
        id: 0,
      },
      { method: 'notifications/initialized', jsonrpc: '2.0' },
      { method: 'tools/list', jsonrpc: '2.0', id: 1 },
      {
        method: 'tools/call',
        params: {
          name: 'add',
          arguments: { a: 2, b: 3 },
          _meta: { 'claudecode/toolUseId': expect.stringMatching(/^toolu_/), progressToken: 2 },
        },
        jsonrpc: '2.0',
        id: 2,
      },
    ]);
    const content = [{ type: 'text', text: '5' }];
    expect(toolResult(cli.lines.find((line) => toolResult(line)))).toMatchObject({ content });
  });

  test.each([
    ['the launch alone, as hosts of other languages do', SDK_CONFIG, {}],
    ['initialize alone, as newer hosts do', [], { sdkMcpServers: ['calc'] }],
  ])('are named by %s', async (_, flags, fields) => {
    const place = await makePlace(adding());
    const cli = startCli([...STREAM_BOTH, ...flags, ...ALLOW], { place });
    const asked = serveCalc(cli);
    await cli.control({ subtype: 'initialize', ...fields });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Added.' });
    expect(methods(asked)).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
  });

  test('need no introduction with a manifest', async () => {
    const place = await makePlace(adding());
    const cli = startCli([...STREAM_BOTH, ...ALLOW], { place });
    const asked = serveCalc(cli);
    const calc = { initializeResult: CALC, toolsListResult: { tools: [ADD] } };
    await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'], sdkMcpServerManifests: { calc } });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Added.' });
    expect(asked).toMatchObject([{ method: 'tools/call', id: 2 }]);
    expect(await cli.control({ subtype: 'mcp_status' })).toMatchObject({
      response: { mcpServers: [{ name: 'calc', status: 'connected', serverInfo: { version: '1.2.3' } }] },
    });
  });

  test('work without any initialize', async () => {
    const place = await makePlace(adding());
    const cli = startCli([...STREAM_BOTH, ...SDK_CONFIG, ...ALLOW], { place });
    serveCalc(cli);
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Added.' });
  });
});

test('[K10, C-2] a server that does not answer holds up neither initialize nor, beyond MCP_TIMEOUT, the turn', async () => {
  const place = await makePlace(['Alone.']);
  const cli = startCli([...STREAM_BOTH, ...SDK_CONFIG], { place, env: { MCP_TIMEOUT: '700' } });
  serveCalc(cli, {});
  const started = Date.now();
  expect(await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] })).toMatchObject({ subtype: 'success' });
  expect(await cli.control({ subtype: 'mcp_status' })).toMatchObject({
    response: { mcpServers: [{ name: 'calc', status: 'pending' }] },
  });
  cli.say('go');
  expect(await cli.nextResult()).toMatchObject({ result: 'Alone.' });
  expect(Date.now() - started).toBeLessThan(5000);
  expect(cli.lines.find(({ subtype }) => subtype === 'init')).toMatchObject({
    mcp_servers: [{ name: 'calc', status: 'failed' }],
  });
  expect(cli.stderr).toContain('The MCP server calc failed: it did not answer within 700 ms');
});

test('[K11] an interrupt cancels the call at the server and withdraws the request', async () => {
  const place = await makePlace(adding());
  const cli = startCli([...STREAM_BOTH, ...ALLOW], { place });
  const { 'tools/call': _, ...answers } = ANSWERS;
  const asked = serveCalc(cli, answers);
  await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
  cli.say('go');
  await cli.until(() => methods(asked).includes('tools/call'));
  await cli.control({ subtype: 'interrupt' });
  expect(await cli.nextResult()).toMatchObject({ type: 'result' });
  expect(asked.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 2 } });
  const call = cli.lines.find(({ request }) => (request as { message?: Rpc })?.message?.method === 'tools/call');
  expect(cli.lines).toContainEqual({ type: 'control_cancel_request', request_id: call?.request_id });
});

test('an interrupt ends the wait for a server', async () => {
  const place = await makePlace([]);
  const cli = startCli([...STREAM_BOTH], { place });
  const asked = serveCalc(cli, {});
  await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
  cli.say('go');
  await cli.until(() => asked.length > 0);
  await cli.control({ subtype: 'interrupt' });
  expect(await cli.nextResult()).toMatchObject({ type: 'result' });
  expect(place.api.requests).toEqual([]);
});

describe('mcp_message from the host', () => {
  test('tells that tools have changed, and the next turn has the new ones', async () => {
    const place = await makePlace(['One.', 'Two.']);
    const cli = startCli([...STREAM_BOTH], { place });
    const answers = { ...ANSWERS };
    serveCalc(cli, answers);
    await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
    cli.say('one');
    await cli.nextResult();
    answers['tools/list'] = { result: { tools: [ADD, { ...ADD, name: 'mul' }] } };
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    expect(await cli.control({ subtype: 'mcp_message', server_name: 'calc', message })).toMatchObject({
      subtype: 'success',
    });
    await cli.until(() => cli.lines.filter((line) => JSON.stringify(line).includes('tools/list')).length > 1);
    await cli.control({ subtype: 'mcp_status' });
    cli.say('two');
    await cli.nextResult();
    expect(cli.lines.findLast(({ subtype }) => subtype === 'init')?.tools).toContain('mcp__calc__mul');
  });

  test('gets an answer to its requests', async () => {
    const place = await makePlace([]);
    const cli = startCli([...STREAM_BOTH], { place });
    const asked = serveCalc(cli);
    await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
    await cli.until(() => methods(asked).includes('tools/list'));
    const send = (message: object, server_name = 'calc') =>
      cli.control({ subtype: 'mcp_message', server_name, message });
    expect(await send({ jsonrpc: '2.0', id: 'p', method: 'ping' })).toMatchObject({
      response: { mcp_response: { jsonrpc: '2.0', id: 'p', result: {} } },
    });
    expect(await send({ jsonrpc: '2.0', id: 7, method: 'sampling/createMessage' })).toMatchObject({
      response: { mcp_response: { id: 7, error: { code: -32601 } } },
    });
    expect(await send({ jsonrpc: '2.0', id: 8, method: 'ping' }, 'nope')).toMatchObject({
      subtype: 'error',
      error: 'Server not found: nope',
    });
  });
});

test('[CTL-09, CTL-11] without any server the requests about them are answered, too', async () => {
  const place = await makePlace([]);
  const cli = startCli([...STREAM_BOTH], { place });
  await cli.control({ subtype: 'initialize' });
  expect(await cli.control({ subtype: 'mcp_status' })).toMatchObject({ response: { mcpServers: [] } });
  const none = { added: [], removed: [], errors: {} };
  expect(await cli.control({ subtype: 'mcp_set_servers', servers: {} })).toMatchObject({ response: none });
  for (const subtype of ['mcp_toggle', 'mcp_reconnect']) {
    expect(await cli.control({ subtype, serverName: 'nope', enabled: false })).toMatchObject({
      subtype: 'error',
      error: 'Server not found: nope',
    });
  }
});

describe('--mcp-config', () => {
  test.each([
    ['a file that is not there', '/no/such.json', 'cannot be read'],
    ['a text without servers', '{"servers":{}}', 'is no JSON object with mcpServers'],
    ['a server that is none', '{"mcpServers":{"x":5}}', 'the server "x" is no object'],
  ])('[P-20] %s ends the run, aloud', async (_, config, words) => {
    const place = await makePlace([]);
    const cli = startCli(['-p', 'hi', '--mcp-config', config], { place });
    cli.endInput();
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });

  test('of a kind that is not there is said to have failed', async () => {
    const place = await makePlace(['ok']);
    const config = '{"mcpServers":{"files":{"type":"ws","url":"ws://127.0.0.1:1"}}}';
    const cli = startCli(['-p', 'hi', '--output-format', 'stream-json', '--verbose', '--mcp-config', config], {
      place,
    });
    cli.endInput();
    const { code, stderr, lines } = await cli.finished;
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 'files', status: 'failed' }] });
    expect(stderr).toContain('servers of the type ws are not supported');
  });
});
