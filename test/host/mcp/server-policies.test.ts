import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { ROOT } from '../../support/root.ts';
import { createHouse } from '../support.ts';

const SERVER = join(ROOT, 'test/support/page-mcp-server.mjs');
const WEAVE = 'mcp__loom__weave';
const BYPASS = 'bypassPermissions';

interface Scene {
  tools?: JsonObject[];
  config?: JsonObject;
  /** What the host answers when it is asked. */
  behavior?: 'allow' | 'deny';
}

/** A session in which the model calls `weave` in every turn; `asked` are the questions that the host got. */
function open({ tools, config = {}, behavior = 'deny' }: Scene) {
  let step = 0;
  const house = createHouse(() => (step++ % 2 === 0 ? toolUse(WEAVE, {}) : 'done'));
  const loom = { command: process.execPath, args: [SERVER, house.dir], ...(tools && { tools }) };
  const asked: JsonObject[] = [];
  const client = house.connect(
    { mcpConfig: [JSON.stringify({ mcpServers: { loom } })], permissionPromptTool: 'stdio', ...config },
    {
      answer(request) {
        if (request.subtype !== 'can_use_tool') return undefined;
        asked.push(request);
        return behavior === 'allow' ? { behavior } : { behavior, message: 'no' };
      },
    },
  );
  const calls = () => {
    const path = join(house.dir, 'calls');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
  };
  return { house, client, asked, calls };
}

const policy = (permission_policy: string) => ({ name: 'weave', permission_policy });

describe('[B-199] a policy for a tool', () => {
  test.each(['default', BYPASS])('always_deny holds in %s, also against a rule that allows', async (permissionMode) => {
    const config = { permissionMode, allowedTools: [WEAVE] };
    const { client, asked, calls } = open({ tools: [policy('always_deny')], config });
    const { permission_denials } = await client.ask('go');
    expect(permission_denials).toMatchObject([{ tool_name: WEAVE }]);
    expect([asked.length, calls()]).toEqual([0, 0]);
  });

  test.each(['default', BYPASS])('always_ask asks in %s, also where a rule allows', async (permissionMode) => {
    const config = { permissionMode, allowedTools: [WEAVE] };
    const { client, asked, calls } = open({ tools: [policy('always_ask')], config, behavior: 'allow' });
    await client.ask('go');
    expect([asked.length, calls()]).toEqual([1, 1]);
  });

  test('always_allow asks nobody, and a rule that denies is stronger', async () => {
    const free = open({ tools: [policy('always_allow')] });
    await free.client.ask('go');
    expect([free.asked.length, free.calls()]).toEqual([0, 1]);
    const closed = open({ tools: [policy('always_allow')], config: { disallowedTools: ['mcp__loom'] } });
    await closed.client.ask('go');
    expect(closed.calls()).toBe(0);
  });

  test('[C-6] always_allow means the tool as it was: one that describes itself otherwise is asked for', async () => {
    const { house, client, asked, calls } = open({ tools: [policy('always_allow')] });
    await client.ask('one');
    expect([asked.length, calls()]).toEqual([0, 1]);
    house.file('description', 'Weaves, and sends a copy to somebody');
    // The server tells of changes behind its answers: slow news of the first call may be of this very one.
    await client.ask('two');
    await client.control({ subtype: 'mcp_reconnect', serverName: 'loom' });
    const before = calls();
    await client.ask('three');
    const reason = expect.stringContaining('otherwise than when it was approved');
    expect(asked).toEqual(Array(asked.length).fill(expect.objectContaining({ decision_reason: reason })));
    expect(asked.length).toBeGreaterThan(0);
    expect(calls()).toBe(before);
  });

  test('mcp_set_servers brings it, and takes it away again', async () => {
    const house = createHouse(() => 'hi');
    const client = house.connect({});
    const set = (tools?: JsonObject[]) =>
      client.control({
        subtype: 'mcp_set_servers',
        servers: { loom: { command: process.execPath, args: [SERVER, house.dir], ...(tools && { tools }) } },
      });
    const call = { subtype: 'mcp_call', tool: WEAVE };
    await set([policy('always_deny')]);
    expect(await client.control(call)).toMatchObject({ error_code: 'permission_denied' });
    const rules = (await client.control({ subtype: 'list_permission_rules' })).response as { state: JsonObject };
    expect(rules.state.rules).toMatchObject([
      { behavior: 'deny', rule: WEAVE, where: 'the tools of the MCP server loom' },
    ]);
    await set();
    expect(await client.control(call)).toMatchObject({ subtype: 'success' });
  });

  test('a project may narrow, and not allow', async () => {
    const asked: JsonObject[] = [];
    let step = 0;
    const house = createHouse(() => (step++ === 0 ? toolUse(WEAVE, {}) : 'done'));
    const loom = { command: process.execPath, args: [SERVER, house.dir], tools: [policy('always_allow')] };
    house.file('.mcp.json', JSON.stringify({ mcpServers: { loom } }));
    const client = house.connect(
      { settingSources: ['project'], permissionPromptTool: 'stdio' },
      { answer: (request) => ({ behavior: 'deny', message: 'no', _: asked.push(request) }) },
    );
    await client.ask('go');
    expect(asked).toMatchObject([{ tool_name: WEAVE }]);
    expect(house.logs.map(({ message }) => message).join()).toContain('always_allow has no effect here');
  });

  test('servers of the host have theirs from initialize: always_allow is none of them', async () => {
    let step = 0;
    const house = createHouse(() => (step++ % 2 === 0 ? toolUse(WEAVE, {}) : 'done'));
    const asked: string[] = [];
    const client = house.connect(
      { permissionMode: BYPASS, permissionPromptTool: 'stdio' },
      {
        answer({ subtype, message }) {
          if (subtype === 'can_use_tool') return { behavior: 'deny', message: 'no', _: asked.push(String(subtype)) };
          const { id, method } = message as JsonObject;
          const tools = [{ name: 'weave', inputSchema: { type: 'object' } }];
          const result = method === 'tools/list' ? { tools } : { capabilities: { tools: {} } };
          return { mcp_response: { jsonrpc: '2.0', id, result } };
        },
      },
    );
    const sdkMcpServerConfigs = { loom: { tools: [policy('always_ask')] } };
    await client.control({ subtype: 'initialize', sdkMcpServers: ['loom'], sdkMcpServerConfigs });
    await client.ask('go');
    expect(asked).toEqual(['can_use_tool']);
    const servers = { loom: { type: 'sdk', name: 'loom', tools: [policy('always_deny')] } };
    await client.control({ subtype: 'mcp_set_servers', servers });
    expect((await client.ask('again')).permission_denials).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });
});

describe('[B-089] a mode for a server', () => {
  const pin = (mode: unknown, serverName = 'loom') => ({
    subtype: 'set_mcp_permission_mode_override',
    serverName,
    mode,
  });

  test.each(['default', 'auto'])(
    '%s has its tools asked for in bypassPermissions, until it is taken back',
    async (mode) => {
      const { client, asked, calls } = open({ config: { permissionMode: BYPASS } });
      expect((await client.control(pin(mode))).response).toEqual({});
      await client.ask('one');
      expect([asked.length, calls()]).toEqual([1, 0]);
      await client.control(pin(null));
      await client.ask('two');
      expect([asked.length, calls()]).toEqual([1, 1]);
    },
  );

  test('never opens anything: what the mode of the session holds back stays closed', async () => {
    const { client, calls } = open({ config: { permissionMode: 'dontAsk' } });
    await client.control(pin('auto'));
    expect((await client.ask('go')).permission_denials).toHaveLength(1);
    expect(calls()).toBe(0);
  });

  test('for a server that is not there yet it is kept, and said; other modes are refused', async () => {
    const { client } = open({});
    expect((await client.control(pin('default', 'shuttle'))).response).toEqual({
      warning: expect.stringContaining('shuttle'),
    });
    for (const mode of [BYPASS, 'plan', undefined]) {
      expect(await client.control(pin(mode))).toMatchObject({ subtype: 'error', error_code: 'invalid_request' });
    }
  });
});
