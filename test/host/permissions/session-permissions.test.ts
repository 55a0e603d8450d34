import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { PermissionUpdate } from '../../../src/wire/permissions.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { faultsOf } from '../../agent/support.ts';
import { type Answer, type Client, createHouse, type House, kindOf, resultsOf } from '../support.ts';

const HOST: RunConfig = { permissionPromptTool: 'stdio' };
const write = (name: string, id?: string) => toolUse('Write', { file_path: name, content: 'x\n' }, id);

function questions(client: Client): JsonObject[] {
  return client.of('control_request/can_use_tool').map(({ request }) => request as JsonObject);
}

function isWritten(house: House, name: string): boolean {
  return existsSync(join(house.dir, name));
}

describe('without anybody to ask', () => {
  test('[G7, K32, R-19] what would be asked is denied at once, told to the model and listed', async () => {
    const house = createHouse([write('a.txt', 'toolu_1'), 'understood']);
    const client = house.connect();
    const result = await client.ask('go');
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      permission_denials: [{ tool_name: 'Write', tool_use_id: 'toolu_1' }],
    });
    expect(resultsOf(client.lines)).toMatchObject([{ is_error: true, content: expect.stringContaining('permission') }]);
    expect(isWritten(house, 'a.txt')).toBe(false);
    expect(await client.end()).toMatchObject({ code: 0 });
  });

  test('[FLD-28] denials are of their turn', async () => {
    const client = createHouse([write('a.txt'), 'one', 'two']).connect();
    expect((await client.ask('1')).permission_denials).toHaveLength(1);
    expect((await client.ask('2')).permission_denials).toEqual([]);
  });

  test.each<[string, RunConfig, boolean]>([
    ['default', {}, false],
    ['acceptEdits', { permissionMode: 'acceptEdits' }, true],
    ['plan', { permissionMode: 'plan' }, false],
    ['dontAsk', { permissionMode: 'dontAsk' }, false],
    ['bypassPermissions', { permissionMode: 'bypassPermissions' }, true],
    ['an allow rule', { allowedTools: ['Edit(a.txt)'] }, true],
    ['a deny rule in bypass', { permissionMode: 'bypassPermissions', disallowedTools: ['Edit(a.txt)'] }, false],
    [
      'a deny rule of the settings',
      { settings: '{"permissions":{"deny":["Edit(a.txt)"],"defaultMode":"acceptEdits"}}' },
      false,
    ],
    ['the mode of the settings', { settings: '{"permissions":{"defaultMode":"acceptEdits"}}' }, true],
  ])('[K4, OPT-25] writing a file with %s', async (_what, config, expected) => {
    const house = createHouse([write('a.txt'), 'done']);
    const result = await house.connect(config).ask('go');
    expect(isWritten(house, 'a.txt')).toBe(expected);
    expect(result.permission_denials).toHaveLength(expected ? 0 : 1);
  });

  test('[K7, OPT-10] a tool that was taken away is absent, and answered as unknown', async () => {
    const house = createHouse([write('a.txt'), 'done']);
    const client = house.connect({ permissionMode: 'bypassPermissions', disallowedTools: ['Write'] });
    const result = await client.ask('go');
    expect(house.model.requests[0]?.tools.map(({ name }) => name)).not.toContain('Write');
    expect(client.of('system/init')[0]?.tools).not.toContain('Write');
    expect(resultsOf(client.lines)[0]?.content).toContain('No such tool available: Write');
    expect(result.permission_denials).toEqual([]);
  });

  test('[OPT-34] `tools` names what exists', async () => {
    const house = createHouse(['done', 'done']);
    await house.connect({ tools: ['Read', 'Bash'] }).ask('go');
    await house.connect({ tools: [] }).ask('go');
    expect(house.model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['Bash', 'Read'], []]);
  });

  test('[OPT-02] further directories can be read without a question', async () => {
    const path = createHouse([]).file('b.txt', 'found');
    const house = createHouse((_request, i) => (i % 2 === 0 ? toolUse('Read', { file_path: path }) : 'done'));
    expect((await house.connect().ask('go')).permission_denials).toHaveLength(1);
    const client = house.connect({ addDir: [dirname(path)] });
    expect((await client.ask('go')).permission_denials).toEqual([]);
    expect(resultsOf(client.lines)[0]?.content).toContain('found');
  });
});

describe('asking the host', () => {
  test('[CTL-12, PRM-15] the question names the call and what would make it unnecessary', async () => {
    const house = createHouse([write('a.txt', 'toolu_1'), 'done']);
    const client = house.connect(HOST, { answer: () => ({ behavior: 'allow' }) });
    await client.ask('go');
    expect(questions(client)).toEqual([
      {
        subtype: 'can_use_tool',
        tool_name: 'Write',
        input: { file_path: 'a.txt', content: 'x\n' },
        permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        title: 'Heddle wants to write: a.txt',
        display_name: 'Write file',
        tool_use_id: 'toolu_1',
        description: expect.stringContaining('changes files'),
      },
    ]);
    expect(isWritten(house, 'a.txt')).toBe(true);
  });

  test('[P-10, PRM-02] the changed input is what runs; the line keeps the original', async () => {
    const house = createHouse([write('a.txt'), 'done']);
    const answer: Answer = ({ input }) => ({
      behavior: 'allow',
      updatedInput: { ...(input as JsonObject), content: 'changed\n' },
    });
    const client = house.connect(HOST, { answer });
    await client.ask('go');
    expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(JSON.stringify(client.of('assistant')[0])).toContain('x\\n');
  });

  test('[P-10, K12] a changed input is held to the tool and to the deny rules', async () => {
    const house = createHouse([write('a.txt'), write('b.txt'), 'done']);
    const answers = [{ file_path: 7 }, { file_path: 'secret.txt', content: 'x' }];
    const client = house.connect(
      { ...HOST, disallowedTools: ['Edit(secret.txt)'] },
      { answer: () => ({ behavior: 'allow', updatedInput: answers.shift() }) },
    );
    expect((await client.ask('go')).permission_denials).toHaveLength(2);
    expect([isWritten(house, 'a.txt'), isWritten(house, 'secret.txt')]).toEqual([false, false]);
  });

  test('[PRM-03, PRM-10, FLD-33] updates apply before the call runs, a new mode is told, later calls are not asked', async () => {
    const house = createHouse([write('a.txt'), write('b.txt'), 'done']);
    const answer: Answer = ({ permission_suggestions }) => ({
      behavior: 'allow',
      updatedPermissions: permission_suggestions,
    });
    const client = house.connect(HOST, { answer });
    await client.ask('go');
    expect(questions(client)).toHaveLength(1);
    expect(isWritten(house, 'b.txt')).toBe(true);
    const kinds = client.lines.map(kindOf);
    expect(client.of('system/status')).toMatchObject([{ status: null, permissionMode: 'acceptEdits' }]);
    expect(kinds.indexOf('system/status')).toBeLessThan(kinds.indexOf('user'));
  });

  test('[PRM-07] a rule from an answer holds for the session', async () => {
    const house = createHouse([write('a.txt'), write('a.txt'), 'done']);
    const rule: PermissionUpdate = {
      type: 'addRules',
      rules: [{ toolName: 'Edit', ruleContent: 'a.txt' }],
      behavior: 'allow',
      destination: 'session',
    };
    const client = house.connect(HOST, { answer: () => ({ behavior: 'allow', updatedPermissions: [rule] }) });
    await client.ask('go');
    expect(questions(client)).toHaveLength(1);
    expect(client.of('system/status')).toEqual([]);
  });

  test('[K4, K32, PRM-18] an answer that would lift the session into bypass is a denial, and changes nothing', async () => {
    const house = createHouse([write('a.txt'), 'done', 'again']);
    const updatedPermissions = [
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
    ];
    const client = house.connect(HOST, { answer: () => ({ behavior: 'allow', updatedPermissions }) });
    expect((await client.ask('go')).permission_denials).toHaveLength(1);
    expect(isWritten(house, 'a.txt')).toBe(false);
    await client.ask('next');
    expect(client.of('system/init').at(-1)).toMatchObject({ permissionMode: 'default' });
  });

  test('[PRM-04, PRM-16] a denial goes to the model word by word', async () => {
    const house = createHouse([write('a.txt'), 'done']);
    const client = house.connect(HOST, { answer: () => ({ behavior: 'deny', message: 'Host says no' }) });
    const result = await client.ask('go');
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Write' }] });
    expect(resultsOf(client.lines)).toMatchObject([{ content: 'Host says no', is_error: true }]);
    expect(client.of('user')[0]).toMatchObject({ tool_use_result: 'Error: Host says no' });
  });

  test('[PRM-06] a denial may stop the turn; the session stays usable', async () => {
    const house = createHouse([[write('a.txt', 'a'), write('b.txt', 'b')], 'fine']);
    const client = house.connect(HOST, { answer: () => ({ behavior: 'deny', message: 'stop', interrupt: true }) });
    expect(await client.ask('go')).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_tools',
      permission_denials: [{ tool_use_id: 'a' }],
    });
    expect(questions(client)).toHaveLength(1);
    expect(resultsOf(client.lines)).toHaveLength(2);
    expect(house.model.requests).toHaveLength(1);
    expect(await client.ask('again')).toMatchObject({ result: 'fine' });
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['no behavior', { foo: 1 }],
    ['another behavior', { behavior: 'maybe' }],
    ['a denial without words', { behavior: 'deny' }],
    ['an input that is no object', { behavior: 'allow', updatedInput: 'rm' }],
    ['updates that are not understood', { behavior: 'allow', updatedPermissions: [{ type: 'grantAll' }] }],
  ])('[P-8, K32] an answer with %s is a denial', async (_what, body) => {
    const house = createHouse([write('a.txt'), 'done']);
    const client = house.connect(HOST, { answer: () => body });
    expect((await client.ask('go')).permission_denials).toHaveLength(1);
    expect(resultsOf(client.lines)[0]?.content).toContain('Tool permission request failed');
    expect(isWritten(house, 'a.txt')).toBe(false);
  });

  test('[P-8, CTL-17] an error in place of an answer is a denial', async () => {
    const house = createHouse([write('a.txt'), 'done']);
    const client = house.connect(HOST);
    client.say('go');
    await client.until(() => questions(client).length === 1);
    const { request_id } = client.of('control_request')[0] ?? {};
    client.send({ type: 'control_response', response: { subtype: 'error', request_id, error: 'callback blew up' } });
    expect((await client.result(0)).permission_denials).toHaveLength(1);
    expect(resultsOf(client.lines)[0]?.content).toBe('Tool permission request failed: callback blew up');
  });

  test('[P-5, P-6] answers to other questions, and second answers, approve nothing', async () => {
    const house = createHouse([write('a.txt'), 'done']);
    const client = house.connect(HOST);
    client.say('go');
    await client.until(() => questions(client).length === 1);
    const { request_id } = client.of('control_request')[0] ?? {};
    const answer = (id: unknown, response: JsonObject) =>
      client.send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
    answer('another', { behavior: 'allow' });
    answer(request_id, { behavior: 'deny', message: 'no' });
    answer(request_id, { behavior: 'allow' });
    await client.result(0);
    expect(isWritten(house, 'a.txt')).toBe(false);
  });

  test('[P-7, P-18] an interrupt withdraws the question, and a late answer runs nothing', async () => {
    const house = createHouse([write('a.txt'), 'fine']);
    const client = house.connect(HOST);
    client.say('go');
    await client.until(() => questions(client).length === 1);
    const { request_id } = client.of('control_request')[0] ?? {};
    await client.control({ subtype: 'interrupt' });
    expect(await client.result(0)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(client.of('control_cancel_request')).toMatchObject([{ request_id }]);
    const response = { subtype: 'success', request_id, response: { behavior: 'allow' } };
    client.send({ type: 'control_response', response });
    await client.ask('again');
    expect(isWritten(house, 'a.txt')).toBe(false);
  });

  test('[K2, P-9] a host that leaves while it is asked: a recorded denial, and the turn ends', async () => {
    const house = createHouse([write('a.txt'), 'understood']);
    const client = house.connect(HOST);
    client.say('go');
    await client.until(() => questions(client).length === 1);
    expect(await client.end()).toMatchObject({ code: 0 });
    expect(client.results[0]).toMatchObject({ result: 'understood', permission_denials: [{ tool_name: 'Write' }] });
    expect(isWritten(house, 'a.txt')).toBe(false);
  });

  test('calls that may not run beside each other are asked for one after the other', async () => {
    const house = createHouse([[write('a.txt', 'a'), write('b.txt', 'b')], 'done']);
    const client = house.connect(HOST, { answer: () => ({ behavior: 'allow' }) });
    await client.ask('go');
    const kinds = client.lines.map(kindOf);
    expect(kinds.slice(kinds.indexOf('control_request/can_use_tool'))).toEqual([
      ...['control_request/can_use_tool', 'user', 'control_request/can_use_tool', 'user', 'assistant', 'result'],
    ]);
  });

  test('[B-084] a second initialize lists what is still asked, as it was asked, and it can be answered then', async () => {
    const house = createHouse([write('a.txt', 'toolu_1'), 'done']);
    const client = house.connect(HOST);
    await client.control({ subtype: 'initialize' });
    client.say('go');
    await client.until(() => questions(client).length === 1);
    const [asked] = client.of('control_request/can_use_tool');
    expect(await client.control({ subtype: 'initialize' })).toMatchObject({
      subtype: 'success',
      response: { session_state: 'running' },
      pending_permission_requests: [asked],
      pending_user_dialog_requests: [],
      pending_elicitation_requests: [],
    });
    const { request_id } = asked as JsonObject;
    client.send({
      type: 'control_response',
      response: { subtype: 'success', request_id, response: { behavior: 'allow' } },
    });
    expect(await client.result(0)).toMatchObject({ result: 'done' });
    expect(isWritten(house, 'a.txt')).toBe(true);
    expect(await client.control({ subtype: 'initialize' })).toMatchObject({ pending_permission_requests: [] });
  });

  test('[B-026] an initialize that fails tells what is still asked', async () => {
    const house = createHouse([write('a.txt', 'toolu_1')]);
    const client = house.connect(HOST);
    client.say('go');
    await client.until(() => questions(client).length === 1);
    expect(await client.control({ subtype: 'initialize', jsonSchema: 7 })).toMatchObject({
      subtype: 'error',
      pending_permission_requests: [{ type: 'control_request', request: { tool_use_id: 'toolu_1' } }],
    });
  });
});
