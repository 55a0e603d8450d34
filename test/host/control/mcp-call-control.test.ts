import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { command, settingsWith } from '../../hooks/support.ts';
import { ROOT } from '../../support/root.ts';
import { createHouse } from '../support.ts';

const SERVER = join(ROOT, 'test/support/page-mcp-server.mjs');
const CALL = { subtype: 'mcp_call', tool: 'mcp__loom__weave', arguments: { colour: 'red' } };
const READ = { subtype: 'mcp_read_resource', serverName: 'loom', uri: 'ui://loom/page' };

function open(config: JsonObject = {}, answer?: (request: JsonObject) => unknown) {
  const house = createHouse(() => 'hi');
  const servers = { loom: { command: process.execPath, args: [SERVER, house.dir] } };
  const launch = { mcpConfig: [JSON.stringify({ mcpServers: servers })], ...config };
  const client = house.connect(launch, answer && { answer });
  const calls = () => {
    const path = join(house.dir, 'calls');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  return { house, client, calls };
}

const denied = (why: string) => ({
  subtype: 'error',
  error: expect.stringMatching(new RegExp(`^The tool did not run: .*${why}`)),
  error_code: 'permission_denied',
});

test('[B-168] a host calls a tool without a turn, and gets what the model would read', async () => {
  const { house, client, calls } = open();
  const { response } = await client.control(CALL);
  expect(response).toEqual({
    content: [
      { type: 'text', text: 'woven' },
      { type: 'text', text: '[page: ui://loom/page]' },
    ],
    structuredContent: { threads: 7 },
    _meta: { loom: 1 },
  });
  expect(calls()).toEqual(['weave {"colour":"red"}']);
  expect(house.model.requests).toEqual([]);
});

test('[B-168] result_not_for_model: the content is as the server sent it; a failure of the tool is a result', async () => {
  const { client } = open();
  const request = { ...CALL, arguments: { fails: true }, result_not_for_model: true };
  const { response } = await client.control(request);
  expect(response).toMatchObject({
    content: [
      { type: 'text', text: 'the thread broke' },
      { type: 'resource_link', uri: 'ui://loom/page', name: 'page' },
    ],
    isError: true,
  });
});

test.each([
  ['default', 'a rule', { disallowedTools: ['mcp__loom__weave'] }, 'denies it'],
  ['bypassPermissions', 'a rule', { disallowedTools: ['mcp__loom'] }, 'denies it'],
  ['bypassPermissions', 'a hook', { settings: settingsWith({ PreToolUse: [command('echo no >&2; exit 2')] }) }, 'no'],
])('[B-168] in %s, what %s denies never reaches the server', async (permissionMode, _by, config, why) => {
  const { client, calls } = open({ permissionMode, ...config });
  expect(await client.control(CALL)).toMatchObject(denied(why));
  expect(calls()).toEqual([]);
});

test('[B-168] with check_permissions an ask reaches the host, and its answer counts', async () => {
  const asked: JsonObject[] = [];
  let behavior = 'deny';
  const { client, calls } = open({ permissionPromptTool: 'stdio' }, (request) => {
    asked.push(request);
    return behavior === 'deny' ? { behavior, message: 'not now' } : { behavior };
  });
  const request = { ...CALL, check_permissions: true };
  expect(await client.control(request)).toMatchObject(denied('not now'));
  expect(asked).toMatchObject([{ subtype: 'can_use_tool', tool_name: 'mcp__loom__weave', input: { colour: 'red' } }]);
  expect(calls()).toEqual([]);
  behavior = 'allow';
  expect(await client.control(request)).toMatchObject({ subtype: 'success' });
  expect(calls()).toHaveLength(1);
});

test('[B-168] with check_permissions and nobody to ask it is refused', async () => {
  const { client, calls } = open();
  expect(await client.control({ ...CALL, check_permissions: true })).toMatchObject(denied(''));
  expect(calls()).toEqual([]);
});

test('[B-168] a PostToolUse hook puts something else in the place of the result', async () => {
  const rewrite = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'something else' } };
  const { client } = open({
    settings: settingsWith({ PostToolUse: [command(`printf '%s' '${JSON.stringify(rewrite)}'`)] }),
  });
  expect((await client.control(CALL)).response).toEqual({ content: 'something else' });
});

test('[B-168] a call has its time, and its last moment', async () => {
  const { client, calls } = open();
  const hanging = { ...CALL, arguments: { hang: true }, timeout_ms: 1 };
  expect(await client.control(hanging)).toMatchObject({ error: expect.stringContaining('1000 ms') });
  expect(calls()).toHaveLength(1);
  for (const expires_at of ['2001-01-01T00:00:00Z', 'soon']) {
    expect(await client.control({ ...CALL, expires_at })).toMatchObject({ error_code: 'expired' });
  }
  expect(calls()).toHaveLength(1);
});

test.each([
  ['no such server', { tool: 'mcp__other__x' }, 'server_not_found'],
  ['no such tool', { tool: 'mcp__loom__spin' }, 'tool_not_found'],
  ['no tool of a server', { tool: 'Bash', arguments: { command: 'true' } }, 'server_not_found'],
  ['a flag that is none', { check_permissions: 'yes' }, 'invalid_request'],
  ['files', { input_files: [{ name: 'a', lane_path: '/a' }] }, 'not_supported'],
])('[B-168] %s: an error with a code', async (_what, fields, error_code) => {
  const { client, calls } = open();
  expect(await client.control({ ...CALL, ...fields })).toMatchObject({ subtype: 'error', error_code });
  expect(calls()).toEqual([]);
});

test('[B-087] [B-168] a page of a server is read without a turn, and mcp_status names it', async () => {
  const { house, client } = open();
  const { response } = await client.control(READ);
  const text = { mimeType: 'text/html', text: '<p>loom</p>' };
  expect(response).toEqual({ contents: [{ uri: READ.uri, ...text, _meta: { ui: { csp: {} } } }] });
  const status = (await client.control({ subtype: 'mcp_status' })).response as JsonObject;
  const tools = [{ name: 'weave', _meta: { ui: { resourceUri: READ.uri } } }, { name: 'cut' }];
  expect(status.mcpServers).toMatchObject([{ name: 'loom', tools }]);
  expect(JSON.stringify(status)).not.toContain('not for hosts');
  expect(house.model.requests).toEqual([]);
});

test.each([
  ['another kind of address', { uri: 'file:///etc/passwd' }, {}, 'invalid_request'],
  ['no such server', { serverName: 'other' }, {}, 'server_not_found'],
  ['a server that a rule takes away', {}, { disallowedTools: ['mcp__loom'] }, 'permission_denied'],
  ['a rule for its resources', {}, { disallowedTools: ['ReadMcpResourceTool(loom)'] }, 'permission_denied'],
])('[B-087] %s: nothing is read', async (_what, fields, config, error_code) => {
  const { client } = open(config);
  expect(await client.control({ ...READ, ...fields })).toMatchObject({ subtype: 'error', error_code });
});

test('[B-087] hooks change what is read, and what is found', async () => {
  const other = { server: 'loom', uri: 'ui://loom/other' };
  const before = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: other } };
  const after = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'not for you' } };
  const saying = (answer: JsonObject) => [command(`printf '%s' '${JSON.stringify(answer)}'`)];
  const asked = open({ settings: settingsWith({ PreToolUse: saying(before) }) });
  expect((await asked.client.control(READ)).response).toMatchObject({ contents: [{ uri: other.uri }] });
  const found = open({ settings: settingsWith({ PostToolUse: saying(after) }) });
  expect((await found.client.control(READ)).response).toEqual({ contents: [{ uri: READ.uri, text: 'not for you' }] });
});

test('[B-087] [B-168] servers of the host are its own to ask', async () => {
  const house = createHouse(() => 'hi');
  const client = house.connect(
    {},
    {
      answer: ({ message }) => {
        const { id, method } = message as JsonObject;
        const tools = [{ name: 'weave', inputSchema: { type: 'object' } }];
        const result = method === 'tools/list' ? { tools } : { capabilities: { tools: {} }, serverInfo: {} };
        return { mcp_response: { jsonrpc: '2.0', id, result } };
      },
    },
  );
  await client.control({ subtype: 'initialize', sdkMcpServers: ['loom'] });
  expect(await client.control(CALL)).toMatchObject({ error_code: 'not_supported' });
  expect(await client.control(READ)).toMatchObject({ error_code: 'not_supported' });
});
