import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT } from '../../../src/agent/messages/system-prompt.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { WIRE_VERSION } from '../../../src/wire/version.ts';
import { createHouse, kindOf } from '../support.ts';

describe('initialize', () => {
  test('[CTL-03, K2] is answered before anything else is said, with what the build can do', async () => {
    const client = createHouse(['fine'], { pid: 4711 }).connect();
    const { subtype, response, ...rest } = await client.control({ subtype: 'initialize' });
    expect(subtype).toBe('success');
    expect(response).toMatchObject({
      commands: expect.any(Array),
      output_style: 'default',
      available_output_styles: expect.arrayContaining(['default']),
      models: expect.arrayContaining([expect.objectContaining({ value: 'default', displayName: expect.any(String) })]),
      agents: expect.arrayContaining([expect.objectContaining({ name: 'general-purpose' })]),
      account: { apiKeySource: 'none' },
      pid: 4711,
      claude_code_version: WIRE_VERSION,
      current_permission_mode: 'default',
      fast_mode_state: 'off',
      session_state: 'idle',
      capabilities: expect.arrayContaining(['end_input', 'interrupt_receipt_v1', 'msg_lifecycle_v1']),
    });
    expect(rest).toMatchObject({ pending_permission_requests: [], pending_user_dialog_requests: [] });
    expect(client.lines.map(kindOf)).toEqual(['control_response']);
  });

  test('[K51] an event that is one slip away from a known one leaves the session without an answer but the reason', async () => {
    const house = createHouse(['fine']);
    const client = house.connect();
    const hooks = { PreTooluse: [{ hookCallbackIds: ['hook_0'] }] };
    const problem = "initialize.hooks has 'PreTooluse'; did you mean 'PreToolUse'?";
    const answer = await client.control({ subtype: 'initialize', hooks });
    const result = await client.ask('hi');
    expect([answer.error ?? '', result.errors?.join() ?? '']).toContain(problem);
    expect(result.is_error).toBe(true);
    expect(house.model.requests).toEqual([]);
  });

  test('[K5, K51] an event that is near none is said, and the rest of the hooks acts', async () => {
    const house = createHouse(['fine']);
    const asked: unknown[] = [];
    const answer = ({ callback_id }: JsonObject) => {
      asked.push(callback_id);
      return {};
    };
    const client = house.connect({}, { answer });
    const group = (id: string) => [{ hookCallbackIds: [id] }];
    await client.control({
      subtype: 'initialize',
      hooks: { HostWentAway: group('hook_0'), UserPromptSubmit: group('hook_1') },
    });
    await client.ask('hi');
    expect(asked).toEqual(['hook_1']);
    expect(house.logs.map(({ message }) => message)).toContainEqual(
      'the host: hooks.HostWentAway is no event of this version; its hooks are never called',
    );
  });

  test('[B-084] a second one changes nothing: prompt, hooks and schema stay, and it says whether its hooks hold', async () => {
    const house = createHouse(['fine']);
    const asked: unknown[] = [];
    const answer = ({ callback_id }: JsonObject) => {
      asked.push(callback_id);
      return {};
    };
    const client = house.connect({}, { answer });
    const hooks = { UserPromptSubmit: [{ hookCallbackIds: ['hook_0'] }] };
    await client.control({ subtype: 'initialize', systemPrompt: 'mine', hooks });
    const again = { subtype: 'initialize', systemPrompt: 'yours', jsonSchema: { type: 'object' } };
    expect(await client.control({ ...again, hooks })).toMatchObject({
      subtype: 'success',
      response: { commands: expect.any(Array), hooks_applied: true },
    });
    expect(await client.control({ ...again, hooks: {} })).toMatchObject({ response: { hooks_applied: false } });
    expect((await client.control(again)).response).not.toHaveProperty('hooks_applied');
    expect(await client.ask('go')).toMatchObject({ result: 'fine', is_error: false });
    expect(house.model.requests[0]?.system).toEqual(['mine']);
    expect(asked).toEqual(['hook_0']);
  });

  test('[CTL-03, OPT-03] lists the agents of that very request', async () => {
    const client = createHouse([]).connect();
    const agents = { weaver: { description: 'Weaves', prompt: 'Weave.', model: 'haiku' } };
    const { response } = await client.control({ subtype: 'initialize', agents });
    expect((response as { agents: unknown[] }).agents).toContainEqual({
      name: 'weaver',
      description: 'Weaves',
      model: 'haiku',
    });
  });

  test('it is optional', async () => {
    expect(await createHouse(['fine']).connect().ask('go')).toMatchObject({ result: 'fine' });
  });

  test.each<[string, JsonObject, string[]]>([
    ['a text', { systemPrompt: 'mine' }, ['mine']],
    ['a list of texts', { systemPrompt: ['mine', 'too'] }, ['mine', 'too']],
    ['blocks', { systemPrompt: [{ type: 'text', text: 'mine' }] }, ['mine']],
    ['an empty text', { systemPrompt: '' }, []],
    ['an empty list item', { systemPrompt: [''] }, []],
    ['an addition', { appendSystemPrompt: 'more' }, [SYSTEM_PROMPT, 'more']],
    ['both', { systemPrompt: 'mine', appendSystemPrompt: 'more' }, ['mine', 'more']],
    ['neither', {}, [SYSTEM_PROMPT]],
  ])('[OPT-32, OPT-33] the system prompt as %s', async (_what, fields, system) => {
    const house = createHouse(['fine']);
    const client = house.connect();
    await client.control({ subtype: 'initialize', ...fields });
    await client.ask('go');
    expect(house.model.requests[0]?.system).toEqual(system);
  });

  test('it wins over the prompt of the launch, and leaves it alone where it says nothing', async () => {
    const house = createHouse(['1', '2']);
    const [silent, saying] = [house.connect({ systemPrompt: 'launch' }), house.connect({ systemPrompt: 'launch' })];
    await silent.control({ subtype: 'initialize' });
    await silent.ask('go');
    await saying.control({ subtype: 'initialize', systemPrompt: 'mine' });
    await saying.ask('go');
    expect(house.model.requests.map(({ system }) => system)).toEqual([['launch'], ['mine']]);
  });
});
