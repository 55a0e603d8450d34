import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { parseMessage } from '../../../src/wire/messages/parse.ts';
import { put } from '../../support/put.ts';
import { type Client, createHouse } from '../support.ts';

/** Each line as hosts read it. */
function expectReadable(client: Client): void {
  const lines = client.lines.filter(({ type }) => !String(type).startsWith('control_'));
  expect(lines.map(parseMessage).filter(({ ok }) => !ok)).toEqual([]);
}

describe('[B-123] commands that change', () => {
  const names = (client: Client) =>
    client
      .of('system/commands_changed')
      .map(({ commands }) => (commands as { name: string }[]).map(({ name }) => name));

  test('a host that knows the list is pushed the new one, once for each change', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const { response } = await client.control({ subtype: 'initialize' });
    const { commands } = response as { commands: { name: string }[] };
    await client.control({ subtype: 'reload_skills' });
    expect(names(client)).toEqual([]);
    const path = join(house.dir, '.claude/skills/knit/SKILL.md');
    put(path, '---\ndescription: Knits\nargument-hint: [wool]\n---\nKnit.');
    await client.control({ subtype: 'reload_skills' });
    await client.control({ subtype: 'reload_plugins' });
    const before = commands.map(({ name }) => name);
    expect(names(client)).toEqual([expect.arrayContaining(['knit', ...before])]);
    expect(client.of('system/commands_changed')[0]?.commands).toContainEqual({
      ...{ name: 'knit', description: 'Knits', argumentHint: '[wool]' },
    });
    rmSync(path);
    await client.control({ subtype: 'reload_skills' });
    expect(names(client)[1]).toEqual(before);
    expectReadable(client);
  });

  test('a host that never asked for it is told nothing', async () => {
    const house = createHouse([]);
    const client = house.connect();
    put(join(house.dir, '.claude/skills/knit/SKILL.md'), '---\ndescription: Knits\n---\nKnit.');
    await client.control({ subtype: 'reload_skills' });
    expect(names(client)).toEqual([]);
  });
});

describe('[B-147] who a message comes from', () => {
  test('what the host says of it comes back with the echo and the result, and is kept', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ replayUserMessages: true });
    const origin = { kind: 'channel', server: 'chat' };
    expect(await client.ask('go', { origin })).toMatchObject({ origin });
    const plain = await client.ask('on');
    expect(plain).not.toHaveProperty('origin');
    expect(client.of('user').map((line) => line.origin)).toEqual([origin, undefined]);
    const said = (await house.entries(plain.session_id)).filter(({ type }) => type === 'user');
    expect(said.map((entry) => entry.origin)).toEqual([origin, undefined]);
    expectReadable(client);
  });

  test('a turn that the end of a task has begun says so, and which run it was', async () => {
    const house = createHouse([[toolUse('Bash', { command: 'true', run_in_background: true })], 'started', 'heard']);
    const client = house.connect({ dangerouslySkipPermissions: true });
    client.say('go');
    const second = await client.result(1);
    const [{ run_id: runId } = {}] = client.of('system/task_notification');
    expect(second).toMatchObject({ result: 'heard', origin: { kind: 'task-notification', runId } });
    expect(client.results[0]).not.toHaveProperty('origin');
    expectReadable(client);
  });

  test('an origin without a kind is no origin', async () => {
    const client = createHouse([]).connect();
    client.say('go', { origin: { server: 'chat' } });
    await client.until(() => client.of('system/input_error').length > 0);
    expect(client.of('system/input_error')[0]).toMatchObject({ error: expect.stringContaining('origin.kind') });
  });
});

test('[B-119] a denial inside of an agent names the agent, and stands among its lines', async () => {
  const script = [
    [toolUse('Task', { subagent_type: 'general-purpose', description: 'd', prompt: 'p' })],
    [toolUse('Write', { file_path: 'a.txt', content: 'x' }, 'toolu_write')],
    'I may not.',
    'done',
  ];
  const client = createHouse(script).connect({ permissionMode: 'dontAsk', allowedTools: ['Task'] });
  const result = await client.ask('go');
  const [denied] = client.of('system/permission_denied');
  const call = client.of('assistant').find((line) => JSON.stringify(line.message).includes('toolu_write'));
  expect(denied).toMatchObject({ tool_use_id: 'toolu_write', decision_reason_type: 'mode', agent_id: call?.agent_id });
  expect(call?.agent_id).toEqual(expect.any(String));
  expect(result.permission_denials).toMatchObject([{ tool_use_id: 'toolu_write' }]);
  expectReadable(client);
});

test('[B-141] a result tells how long the first token took', async () => {
  const client = createHouse([[toolUse('Glob', { pattern: '*' })], 'done']).connect();
  const result = await client.ask('go');
  const { ttft_ms = -1, ttft_stream_ms = -1, time_to_request_ms = -1, duration_ms } = result;
  for (const time of [ttft_ms, ttft_stream_ms, time_to_request_ms]) {
    expect(time).toBeGreaterThanOrEqual(0);
    expect(time).toBeLessThanOrEqual(duration_ms);
  }
  expect(ttft_stream_ms).toBeLessThanOrEqual(ttft_ms);
  expect(await client.ask('/cost')).not.toHaveProperty('ttft_ms');
  expectReadable(client);
});

test('[B-158] everything that is said in the conversation carries its time', async () => {
  const client = createHouse([[toolUse('Glob', { pattern: '*' })], 'done']).connect({ replayUserMessages: true });
  const timestamp = '2020-01-02T03:04:05.678Z';
  await client.ask('go', { timestamp });
  await client.ask('/cost');
  const spoken = [...client.of('user'), ...client.of('assistant')];
  expect(client.of('user')[0]).toMatchObject({ isReplay: true, timestamp });
  expect(spoken.length).toBeGreaterThanOrEqual(5);
  for (const { timestamp: at } of spoken) expect(new Date(String(at)).toISOString()).toBe(at);
});

test('[B-156] a server says who has defined it, whatever its name is', async () => {
  const house = createHouse(['done']);
  const dead = { command: 'false' };
  put(join(house.dir, '../.heddle/.claude.json'), { mcpServers: { mine: dead } });
  put(join(house.dir, '.mcp.json'), { mcpServers: { ours: dead } });
  const kit = join(house.dir, '../kit');
  put(join(kit, '.claude-plugin/plugin.json'), { name: 'kit' });
  put(join(kit, '.mcp.json'), { mcpServers: { sdk: dead } });
  const mcpConfig = [JSON.stringify({ mcpServers: { given: dead, host: { type: 'sdk', name: 'host' } } })];
  const env = { HOME: join(house.dir, '..'), PATH: process.env.PATH, MCP_TIMEOUT: '300' }; // nobody speaks for `host`
  const client = house.connect({ mcpConfig, pluginDir: [kit], trust: true }, { env });
  const sources = { given: 'dynamic', host: 'sdk', ours: 'project', mine: 'user', 'plugin:kit:sdk': 'plugin' };
  const sourcesIn = (servers: unknown) =>
    Object.fromEntries((servers as { name: string; source: string }[]).map(({ name, source }) => [name, source]));
  const { response } = await client.control({ subtype: 'mcp_status' });
  expect(sourcesIn((response as { mcpServers: unknown }).mcpServers)).toEqual(sources);
  await client.ask('go');
  expect(sourcesIn(client.of('system/init')[0]?.mcp_servers)).toEqual(sources);
});
