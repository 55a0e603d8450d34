import { describe, expect, test } from 'vitest';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { type HostSubtype, hostRequests, readHostResponse } from '../../../src/wire/control/index.ts';
import { createHouse } from '../support.ts';

describe('set_model', () => {
  test('[CTL-07, QM-04] an alias holds from the next turn on, `default` and nothing go back to the launch', async () => {
    const house = createHouse(() => 'fine');
    const client = house.connect({ model: 'haiku' });
    const models: unknown[] = [];
    for (const request of [null, { model: 'opus' }, { model: 'default' }, { model: 'claude-x' }, {}]) {
      const answer = request && (await client.control({ subtype: 'set_model', ...request }));
      await client.ask('go');
      const model = client.of('system/init').at(-1)?.model;
      if (answer) expect(answer).toMatchObject({ subtype: 'success', response: { model } });
      models.push(model);
    }
    const haiku = 'claude-haiku-4-5-20251001';
    expect(models).toEqual([haiku, 'claude-opus-4-6', haiku, 'claude-x', haiku]);
    expect(house.model.requests.map(({ model }) => model)).toEqual(models);
  });

  test('[CTL-07] holds for a message that follows at once', async () => {
    const house = createHouse([], { model: undefined as never });
    const client = house.connect({ model: 'claude-x' });
    client.send({ type: 'control_request', request_id: 'x', request: { subtype: 'set_model', model: 'offline' } });
    await client.ask('hello');
    expect(client.of('system/init')[0]).toMatchObject({ model: 'offline' });
    expect(client.results[0]).toMatchObject({ is_error: false });
  });

  test('[P-3] a model that nothing can answer is an error, and the old one stays', async () => {
    const house = createHouse(() => 'fine', { env: {} });
    const client = house.connect({ model: 'offline' });
    expect(await client.control({ subtype: 'set_model', model: 'replay:nowhere.jsonl' })).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('cannot be read'),
    });
    await client.ask('go');
    expect(client.of('system/init')[0]).toMatchObject({ model: 'offline' });
  });
});

describe('set_partial_messages', () => {
  test('adds stream events from the turn of a message on that was sent just before, and leaves them out again', async () => {
    const client = createHouse(() => 'fine').connect();
    client.say('one');
    expect(await client.control({ subtype: 'set_partial_messages', enabled: true })).toMatchObject({
      subtype: 'success',
    });
    await client.result(0);
    const [first] = client.of('stream_event');
    expect(first).toMatchObject({ event: { type: 'message_start' } });
    await client.control({ subtype: 'set_partial_messages', enabled: false });
    const before = client.of('stream_event').length;
    await client.ask('two');
    expect(client.of('stream_event')).toHaveLength(before);
    expect(await client.control({ subtype: 'set_partial_messages' })).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_request',
    });
  });
});

describe('set_permission_mode', () => {
  test('[CTL-06, QM-03] holds for the next call', async () => {
    const house = createHouse((_request, i) =>
      i % 2 === 0 ? toolUse('Write', { file_path: `f${i}.txt`, content: 'x' }) : 'done',
    );
    const client = house.connect();
    expect((await client.ask('go')).permission_denials).toHaveLength(1);
    expect(await client.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' })).toMatchObject({
      subtype: 'success',
      response: { mode: 'acceptEdits' },
    });
    expect((await client.ask('again')).permission_denials).toEqual([]);
    expect(client.of('system/init').map(({ permissionMode }) => permissionMode)).toEqual(['default', 'acceptEdits']);
  });

  test('[K4] `manual` is the newer word for default', async () => {
    const client = createHouse(['fine']).connect({ permissionMode: 'plan' });
    expect(await client.control({ subtype: 'set_permission_mode', mode: 'manual' })).toMatchObject({
      response: { mode: 'default' },
    });
  });

  test.each([[{ mode: 'banana' }], [{}], [{ mode: 7 }], [{ mode: '__proto__' }]])(
    '[K4, CTL-06] %j is no mode, and changes nothing',
    async (fields) => {
      const client = createHouse(['fine']).connect({ permissionMode: 'plan' });
      expect(await client.control({ subtype: 'set_permission_mode', ...fields })).toMatchObject({
        subtype: 'error',
        error_code: 'invalid_mode',
      });
      await client.ask('go');
      expect(client.of('system/init')[0]).toMatchObject({ permissionMode: 'plan' });
    },
  );

  test('[K4, PRM-18, OPT-04] bypass is refused unless it was permitted at launch', async () => {
    const house = createHouse(['1', '2']);
    const refused = house.connect();
    expect(await refused.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
      subtype: 'error',
      error_code: 'bypass_not_launched',
    });
    await refused.ask('go');
    expect(refused.of('system/init')[0]).toMatchObject({ permissionMode: 'default' });
    const permitted = house.connect({ allowDangerouslySkipPermissions: true });
    expect(await permitted.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
      subtype: 'success',
    });
  });
});

describe('set_max_thinking_tokens', () => {
  test('[B-076, B-092] a display holds from the next request on, null takes it back, none leaves it alone', async () => {
    const house = createHouse(() => 'fine');
    const client = house.connect({ maxThinkingTokens: 2048, thinkingDisplay: 'summarized' });
    const requests: JsonObject[] = [
      {},
      { max_thinking_tokens: 4096 },
      { max_thinking_tokens: 4096, thinking_display: 'omitted' },
      { thinking_display: null },
    ];
    for (const fields of requests) {
      await client.control({ subtype: 'set_max_thinking_tokens', ...fields });
      await client.ask('go');
    }
    expect(house.model.requests.map(({ thinking }) => thinking)).toEqual([
      { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
      { type: 'enabled', budget_tokens: 4096, display: 'summarized' },
      { type: 'enabled', budget_tokens: 4096, display: 'omitted' },
      { type: 'enabled', budget_tokens: 4096 },
    ]);
  });

  test('[B-092] a display that cannot be had is an error; the budget is changed all the same', async () => {
    const house = createHouse(() => 'fine');
    const client = house.connect();
    const body = { max_thinking_tokens: 4096, thinking_display: 'highlights' };
    expect(await client.control({ subtype: 'set_max_thinking_tokens', ...body })).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_request',
    });
    await client.ask('go');
    expect(house.model.requests[0]?.thinking).toEqual({ type: 'enabled', budget_tokens: 4096 });
  });

  test('[CTL-10, QM-05, OPT-19] a number is the budget of the next request; 0 and null take it back', async () => {
    const house = createHouse(() => 'fine');
    const client = house.connect();
    for (const max_thinking_tokens of [2048, 0, 40_000, null]) {
      await client.control({ subtype: 'set_max_thinking_tokens', max_thinking_tokens });
      await client.ask('go');
    }
    expect(house.model.requests.map(({ thinking }) => thinking)).toEqual([
      { type: 'enabled', budget_tokens: 2048 },
      undefined,
      { type: 'enabled', budget_tokens: 40_000 },
      undefined,
    ]);
    const [small, , large] = house.model.requests;
    expect(large?.maxOutputTokens).toBeGreaterThan(40_000); // the API counts thoughts within the output
    expect(small?.maxOutputTokens).toBe(32_000);
  });
});

describe('the protocol', () => {
  test('[P-3] an unknown subtype is an error with a code; names of every object are unknown too', async () => {
    const client = createHouse(['fine']).connect();
    for (const subtype of ['banana', 'constructor', '__proto__', 'toString']) {
      expect(await client.control({ subtype })).toMatchObject({
        subtype: 'error',
        error: `Unsupported control request subtype: ${subtype}`,
        error_code: 'unsupported_request',
      });
    }
    expect(await client.ask('go')).toMatchObject({ result: 'fine' });
  });

  test('[P-4] a request without a body or a subtype is an error, not an end', async () => {
    const client = createHouse(['fine']).connect();
    client.send({ type: 'control_request', request_id: 'a' });
    client.send({ type: 'control_request', request_id: 'b', request: { subtype: 7 } });
    client.send({ type: 'control_request' });
    expect(await client.ask('go')).toMatchObject({ result: 'fine' });
    expect(client.of('control_response').map(({ response }) => (response as JsonObject).subtype)).toEqual([
      ...['error', 'error', 'error'],
    ]);
  });

  test('[K11, CTL-16] a request that is withdrawn before its turn is not done, and gets no answer', async () => {
    const house = createHouse(['fine']);
    const client = house.connect();
    const request = { subtype: 'rename_session', title: 'withdrawn' };
    client.send({ type: 'control_request', request_id: 'w', request });
    client.send({ type: 'control_cancel_request', request_id: 'w' });
    await client.control({ subtype: 'rename_session', title: 'kept' });
    await client.ask('go');
    const titles = (await house.entries(String(client.lines.at(-1)?.session_id))).flatMap(
      ({ customTitle }) => customTitle ?? [],
    );
    expect(titles).toEqual(['kept']);
    expect(client.of('control_response').map(({ response }) => (response as JsonObject).request_id)).toEqual(['r1']);
  });

  test('[P-3, P-4] each request of the protocol gets one answer, of its shape, whatever its fields are', async () => {
    const client = createHouse(() => 'fine').connect();
    const names = (Object.keys(hostRequests) as HostSubtype[]).filter((name) => name !== 'end_input');
    for (const subtype of names) {
      for (const fields of [PLAUSIBLE[subtype] ?? {}, {}, ODD_FIELDS]) {
        const answer = await client.control({ ...fields, subtype });
        if (answer.subtype === 'error') expect(answer.error, subtype).toEqual(expect.any(String));
        else expect(() => readHostResponse(subtype, answer.response), subtype).not.toThrow();
      }
    }
    expect(await client.ask('still there?')).toMatchObject({ result: 'fine' });
    expect(client.of('control_response')).toHaveLength(3 * names.length);
  });

  test.each(['set_color', 'set_has_subscribers'])(
    '[P-3] %s belongs to what is not there: an error with a code, never silence',
    async (subtype) => {
      expect(await createHouse([]).connect().control({ subtype })).toMatchObject({
        subtype: 'error',
        error: `Unsupported control request subtype: ${subtype}`,
        error_code: 'unsupported_request',
      });
    },
  );

  test('[P-3, P-12] what was asked before the input ended is answered yet', async () => {
    const client = createHouse([]).connect();
    const subtypes = ['get_usage', 'list_models', 'get_context_usage', 'mcp_status', 'no_such_request'];
    for (const subtype of subtypes) {
      client.send({ type: 'control_request', request_id: subtype, request: { subtype } });
    }
    await client.end();
    const ids = client.of('control_response').map(({ response }) => (response as JsonObject).request_id);
    expect(ids.toSorted()).toEqual(subtypes.toSorted());
  });

  test('requests are answered while a turn runs', async () => {
    const house = createHouse([hang()]);
    const client = house.connect();
    client.say('go');
    await client.until(() => client.of('system/init').length === 1);
    expect(await client.control({ subtype: 'set_model', model: 'opus' })).toMatchObject({ subtype: 'success' });
    expect(client.results).toEqual([]);
  });
});

/** Fields with which a request can be done in a session that is fresh. */
const PLAUSIBLE: Partial<Record<HostSubtype, JsonObject>> = {
  set_permission_mode: { mode: 'plan' },
  set_max_thinking_tokens: { max_thinking_tokens: 2048 },
  stop_task: { task_id: 'none' },
  get_task_output: { task_id: 'none' },
  cancel_async_message: { message_uuid: 'none' },
  mcp_set_servers: { servers: {} },
  mcp_toggle: { serverName: 'none', enabled: true },
  mcp_reconnect: { serverName: 'none' },
  mcp_message: { server_name: 'none', message: { jsonrpc: '2.0', method: 'x' } },
  rename_session: { title: 'A title' },
  read_file: { path: 'missing' },
  seed_read_state: { path: 'missing', mtime: 0 },
  apply_flag_settings: { settings: {} },
  explain_permission: { tool_name: 'Read', input: { file_path: 'x' } },
  rewind_files: { user_message_id: 'none' },
  switch_leaf: { leaf_uuid: 'none' },
};

const ODD_FIELDS: JsonObject = Object.fromEntries(
  [
    ...['hooks', 'model', 'mode', 'max_thinking_tokens', 'task_id', 'message_uuid', 'servers', 'serverName', 'enabled'],
    ...['server_name', 'message', 'title', 'path', 'mtime', 'settings', 'source', 'tool_name', 'input', 'detail'],
    ...['user_message_id', 'leaf_uuid', 'at_uuid', 'offset', 'limit', 'tool_use_id', 'jsonSchema', 'sdkMcpServers'],
  ].map((key) => [key, [null, { __proto__: 5 }, 1e308]]),
);

describe('messages that wait', () => {
  const uuids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
  const [first, second] = uuids;

  /** A session whose turn hangs, with two messages behind it. */
  async function waiting() {
    const house = createHouse([hang(), 'two', 'three']);
    const client = house.connect();
    client.say('go');
    await client.until(() => client.of('system/init').length === 1);
    client.say('one', { uuid: first });
    client.say('other', { uuid: second });
    await client.until(() => client.of('command_lifecycle').length === 2);
    return { house, client };
  }

  test('[B-163, K26] one is withdrawn: it is told and recorded, and never answered; the others are', async () => {
    const { house, client } = await waiting();
    const cancel = { subtype: 'cancel_async_message', message_uuid: first };
    expect(await client.control(cancel)).toMatchObject({ response: { cancelled: true } });
    expect(await client.control(cancel)).toMatchObject({ response: { cancelled: false } });
    expect(client.of('command_lifecycle').at(-1)).toMatchObject({ command_uuid: first, state: 'cancelled' });
    await client.control({ subtype: 'interrupt' });
    expect(await client.result(1)).toMatchObject({ user_message_uuids: [second] });
    expect(JSON.stringify(house.model.requests.at(-1)?.messages)).not.toContain('"one"');
    const entries = await house.entries(String(client.results[0]?.session_id));
    expect(entries).toContainEqual(expect.objectContaining({ operation: 'enqueue', content: 'one' }));
    expect(await client.ask('one, again', { uuid: first })).toMatchObject({ result: 'three' });
  });

  test('[B-091] an interrupt says what is still queued, and that is answered next', async () => {
    const { client } = await waiting();
    expect(await client.control({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: uuids } });
    expect(await client.result(1)).toMatchObject({ result: 'two' });
    expect(await client.control({ subtype: 'interrupt' })).toMatchObject({ response: { still_queued: [] } });
  });

  test('a message whose turn has begun cannot be withdrawn', async () => {
    const client = createHouse([hang()]).connect();
    client.say('go', { uuid: first });
    await client.until(() => client.of('system/init').length === 1);
    expect(await client.control({ subtype: 'cancel_async_message', message_uuid: first })).toMatchObject({
      response: { cancelled: false },
    });
    expect(await client.control({ subtype: 'cancel_async_message' })).toMatchObject({ error_code: 'invalid_request' });
  });
});

describe('end_input', () => {
  test('[K2] what is queued is answered, then the session ends though the connection is open', async () => {
    const client = createHouse(['one', 'two']).connect();
    client.say('1');
    client.say('2');
    expect(await client.control({ subtype: 'end_input' })).toMatchObject({ subtype: 'success', response: {} });
    await client.result(1);
    await expect(client.result(2)).rejects.toThrow('the session ended first');
  });

  test('[K2] permission questions can still be asked after it', async () => {
    const house = createHouse([toolUse('Write', { file_path: 'a.txt', content: 'x' }), 'done']);
    const client = house.connect({ permissionPromptTool: 'stdio' }, { answer: () => ({ behavior: 'allow' }) });
    client.say('go');
    await client.control({ subtype: 'end_input' });
    expect(await client.result(0)).toMatchObject({ result: 'done', permission_denials: [] });
  });

  test('messages after it are not taken', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect();
    await client.control({ subtype: 'end_input' });
    client.say('too late');
    await client.end();
    expect(house.model.requests).toEqual([]);
  });
});

test('[S-2] a message with a uuid that is in use is refused, not lost', async () => {
  const house = createHouse(['one', 'two']);
  const client = house.connect();
  const uuid = '11111111-1111-4111-8111-111111111111';
  await client.ask('first', { uuid });
  client.say('second', { uuid });
  await client.ask('third');
  expect(client.lines.filter((line) => line.subtype === 'input_error')).toHaveLength(1);
  expect(JSON.stringify(house.model.requests.at(-1)?.messages)).not.toContain('second');
});

test('[P-3] what was asked before the input ended is answered, whatever its answer takes', async () => {
  const house = createHouse(() => 'ok');
  const client = house.connect();
  await client.ask('hello');
  const answers = Promise.all([client.control({ subtype: 'session_tree' }), client.control({ subtype: 'branches' })]);
  const exit = client.end();
  expect(await answers).toMatchObject([{ subtype: 'success' }, { subtype: 'success' }]);
  expect(await exit).toMatchObject({ code: 0 });
});
