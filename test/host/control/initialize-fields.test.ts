import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY as BOUNDARY } from '../../../src/wire/prompt-boundary.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { type ConnectOptions, createHouse, lastTexts, resultsOf } from '../support.ts';

/** A session whose model calls the tool `Shell`, which the host sends to Bash. */
async function calling(config: RunConfig, fields: JsonObject, options: ConnectOptions = {}) {
  const house = createHouse([toolUse('Shell', { command: 'touch canary' }), 'done']);
  const client = house.connect(config, options);
  await client.control({ subtype: 'initialize', toolAliases: { Shell: 'Bash' }, ...fields });
  const result = await client.ask('go');
  return { client, result, ran: existsSync(join(house.dir, 'canary')) };
}

describe('toolAliases', () => {
  test('[B-064] a call by the name of an alias is a call of its tool, as rules see it', async () => {
    const { ran, result, client } = await calling({ allowedTools: ['Bash(touch:*)'] }, {});
    expect(ran).toBe(true);
    expect(result.permission_denials).toEqual([]);
    expect(resultsOf(client.lines)).toMatchObject([{ is_error: false }]);
    expect(client.of('system/init')[0]?.tools).not.toContain('Shell');
  });

  test.each<[string, RunConfig]>([
    ['a deny rule for some calls', { disallowedTools: ['Bash(touch:*)'] }],
    ['a tool that is taken away', { disallowedTools: ['Bash'] }],
    ['a tool that does not exist', { tools: ['Read'] }],
  ])('[B-064, K7] no alias leads around %s, in no mode', async (_what, config) => {
    const launch = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
    const { ran, client } = await calling({ ...launch, ...config, allowedTools: ['Shell'] }, {});
    expect(ran).toBe(false);
    expect(resultsOf(client.lines)).toMatchObject([{ is_error: true }]);
  });

  test('[B-064, K32] the host is asked for the tool that would run, and its denial is listed so', async () => {
    const { client, result, ran } = await calling(
      { permissionPromptTool: 'stdio' },
      {},
      { answer: () => ({ behavior: 'deny', message: 'no' }) },
    );
    expect(ran).toBe(false);
    expect(client.of('control_request')[0]).toMatchObject({ request: { tool_name: 'Bash' } });
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
  });

  test('[B-064] hooks for the tool see the call, by the name of the tool', async () => {
    const seen: JsonObject[] = [];
    const { ran } = await calling(
      { allowedTools: ['Bash'] },
      { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['h'] }] } },
      {
        answer(request) {
          seen.push(request.input as JsonObject);
          return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
        },
      },
    );
    expect(seen).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch canary' } }]);
    expect(ran).toBe(false);
  });

  test('[B-064] an alias leads one step, also where it leads to another; and away from a tool that exists', async () => {
    const house = createHouse([toolUse('Read', { command: 'touch canary' }), toolUse('Loop', {}), 'done']);
    const client = house.connect({ allowedTools: ['Bash'] });
    const toolAliases = { Read: 'Bash', Bash: 'Read', Loop: 'Read' };
    await client.control({ subtype: 'initialize', toolAliases });
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(true);
    expect(resultsOf(client.lines)[1]).toMatchObject({
      content: expect.stringContaining('Read was called with a bad'),
    });
  });

  test('[B-064] agents of the session have them, too', async () => {
    const house = createHouse(({ messages }) => {
      const results = messages.filter(({ content }) => content.some(({ type }) => type === 'tool_result'));
      if (JSON.stringify(messages[0]).includes('do it')) {
        return results.length === 0 ? [toolUse('Shell', { command: 'touch canary' })] : [text('did it')];
      }
      const input = { description: 'd', prompt: 'do it', subagent_type: 'general-purpose' };
      return results.length === 0 ? [toolUse('Task', input)] : [text('done')];
    });
    const client = house.connect({ allowedTools: ['Bash', 'Task'] });
    await client.control({ subtype: 'initialize', toolAliases: { Shell: 'Bash' } });
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(true);
  });

  test('what is no table of names is refused, and nothing is sent', async () => {
    const house = createHouse(['never']);
    const client = house.connect();
    await client.control({ subtype: 'initialize', toolAliases: { Bash: 5 } });
    expect(await client.ask('go')).toMatchObject({
      is_error: true,
      errors: ['request.toolAliases must be an object of names of tools'],
    });
    expect(house.model.requests).toEqual([]);
  });
});

describe('planModeInstructions', () => {
  const PLAN: RunConfig = { permissionMode: 'plan' };
  const plans = (texts: string[]) => texts.filter((each) => each.includes('Plan mode is'));

  test('[B-067] replace the way of working that the model is told in plan mode; what is forbidden stays', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect(PLAN);
    await client.control({ subtype: 'initialize', planModeInstructions: 'Ask three questions first.' });
    await client.ask('1');
    await client.ask('2');
    const [first, second] = house.model.requests.map((request) => plans(lastTexts(request)));
    expect(first).toEqual([
      expect.stringMatching(
        /^<system-reminder>\nPlan mode is on: .*Change nothing.*Ask three questions.*ExitPlanMode/s,
      ),
    ]);
    expect(first?.[0]).not.toContain('Read what matters');
    expect(second).toEqual([]);
  });

  test('[B-067] without them the model is told ours, and that plan mode is over', async () => {
    const house = createHouse(['one', 'two', 'three', 'four']);
    const client = house.connect(PLAN);
    await client.ask('1');
    await client.control({ subtype: 'set_permission_mode', mode: 'default' });
    await client.ask('2');
    await client.ask('3');
    await client.control({ subtype: 'set_permission_mode', mode: 'plan' });
    await client.ask('4');
    const told = house.model.requests.map((request) => plans(lastTexts(request)));
    expect(told).toEqual([
      [expect.stringContaining('Read what matters')],
      ['<system-reminder>\nPlan mode is off.\n</system-reminder>'],
      [],
      [expect.stringContaining('Read what matters')],
    ]);
  });

  test('[B-067] EnterPlanMode tells them at once; outside of plan mode nothing is said of them', async () => {
    const house = createHouse([toolUse('EnterPlanMode', {}), 'done']);
    const client = house.connect();
    await client.control({ subtype: 'initialize', planModeInstructions: 'Ask three questions first.' });
    await client.ask('1');
    expect(JSON.stringify(house.model.requests[0])).not.toContain('three questions');
    expect(resultsOf(client.lines)).toMatchObject([{ content: expect.stringContaining('three questions first.') }]);
  });
});

describe('a system prompt of several blocks', () => {
  test.each<[string, JsonObject, RunConfig, { system: string[]; sharedBlocks?: number }]>([
    ['without a border', { systemPrompt: ['a', 'b'] }, {}, { system: ['a', 'b'] }],
    ['with one', { systemPrompt: ['a', 'b', BOUNDARY, 'c'] }, {}, { system: ['a', 'b', 'c'], sharedBlocks: 2 }],
    ['with one before all', { systemPrompt: [BOUNDARY, 'c'] }, {}, { system: ['c'], sharedBlocks: 0 }],
    ['in one text', {}, { systemPrompt: `a\n${BOUNDARY}\nb` }, { system: ['a', 'b'], sharedBlocks: 1 }],
    [
      'and something appended',
      { systemPrompt: ['a', BOUNDARY, 'b'], appendSystemPrompt: 'more' },
      {},
      { system: ['a', 'b', 'more'], sharedBlocks: 1 },
    ],
  ])('[B-073] %s', async (_what, fields, config, expected) => {
    const house = createHouse(['fine']);
    const client = house.connect(config);
    await client.control({ subtype: 'initialize', ...fields });
    await client.ask('go');
    const { system, sharedBlocks } = house.model.requests[0] ?? {};
    expect({ system, ...(sharedBlocks !== undefined && { sharedBlocks }) }).toEqual(expected);
  });
});
