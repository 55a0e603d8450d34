import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT } from '../../../src/agent/messages/system-prompt.ts';
import { openSession } from '../../../src/host/session/open-session.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { type Client, createHouse, type House } from '../support.ts';

const REVIEWER = { description: 'Reviews', prompt: 'You review code.' };

/** A launch with this agent as the main thread. */
function as(definition: object, more: RunConfig = {}): RunConfig {
  return { agents: JSON.stringify({ reviewer: { ...REVIEWER, ...definition } }), agent: 'reviewer', ...more };
}

function systemOf({ model }: House, at = 0): string {
  return model.requests[at]?.system.join('\n') ?? '';
}

function init(client: Client) {
  return client.of('system/init')[0] as { model: string; tools: string[]; permissionMode: string; agents: string[] };
}

function open(config: RunConfig): Promise<unknown> {
  return openSession(createHouse([]).engine, { config }, () => undefined);
}

const warnings = ({ logs }: House) => logs.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe('[B-003, B-235] the main thread as an agent', () => {
  test('is told what the agent is for, in the place of our words about software work', async () => {
    const house = createHouse(['Done.']);
    const client = house.connect(as({}, { appendSystemPrompt: 'Be brief.' }));
    await client.ask('go');
    expect(systemOf(house)).toMatch(/^You review code\.\n[\s\S]*# Care\n[\s\S]*Be brief\.$/);
    expect(systemOf(house)).not.toContain('# How to work');
    expect(init(client).agents).toContain('reviewer');
  });

  test('an empty prompt of an SDK does not take its place; another one is not used, which is said once', async () => {
    const house = createHouse(['One.', 'Two.']);
    const client = house.connect(as({}));
    await client.control({ subtype: 'initialize', systemPrompt: '' });
    await client.ask('go');
    expect(systemOf(house)).toMatch(/^You review code\./);
    expect(warnings(house)).toEqual([]);

    const other = createHouse(['One.', 'Two.']);
    const session = other.connect(as({}, { systemPrompt: 'You are a poet.' }));
    await session.ask('go');
    await session.ask('on');
    expect(systemOf(other, 1)).toMatch(/^You review code\./);
    expect(systemOf(other, 1)).not.toContain('poet');
    expect(warnings(other)).toEqual([expect.stringContaining('the agent of --agent has its own')]);
  });

  test('has no worktree of its own: that its definition asks for one is said', async () => {
    const house = createHouse(['Done.']);
    await house.connect(as({ isolation: 'worktree' })).ask('go');
    expect(warnings(house)).toEqual([expect.stringMatching(/reviewer asks for isolation.*--worktree/)]);
  });

  test('has only the tools that it names, without those that it refuses', async () => {
    const house = createHouse(() => 'Done.');
    const named = house.connect(as({ tools: ['Read', 'Bash', 'Agent'], disallowedTools: ['Bash'] }));
    await named.ask('go');
    expect(init(named).tools).toEqual(['Task', 'Read']);
    const refusing = house.connect(as({ disallowedTools: ['Write', 'Bash(rm:*)'] }));
    await refusing.ask('go');
    expect(init(refusing).tools).toEqual(expect.arrayContaining(['Bash', 'Edit', 'ExitPlanMode']));
    expect(init(refusing).tools).not.toContain('Write');
  });

  test('has the tool for the output that is asked for all the same', async () => {
    const house = createHouse(() => 'Done.');
    const client = house.connect(as({ tools: ['Read'] }, { jsonSchema: '{"type":"object"}' }));
    await client.ask('go');
    expect(init(client).tools).toEqual(['Read', 'StructuredOutput']);
  });

  test('a tool that it names and that does not exist is said', async () => {
    const house = createHouse(['Done.']);
    await house.connect(as({ tools: ['Read', 'Loom'] })).ask('go');
    expect(warnings(house)).toEqual(['The agent reviewer: its tools name Loom, which does not exist here']);
  });

  test('speaks with its model, unless the launch names one; set_model goes back to it', async () => {
    const house = createHouse(() => 'Done.');
    const client = house.connect(as({ model: 'claude-opus-4-6' }, { settings: '{"model":"claude-haiku-4-5"}' }));
    await client.ask('go');
    expect(init(client).model).toBe('claude-opus-4-6');
    await client.control({ subtype: 'set_model', model: 'claude-haiku-4-5' });
    const { response } = await client.control({ subtype: 'set_model', model: 'default' });
    expect(response).toEqual({ model: 'claude-opus-4-6' });
    const told = house.connect(as({ model: 'claude-opus-4-6' }, { model: 'claude-sonnet-4-5' }));
    await told.ask('go');
    expect(init(told).model).toBe('claude-sonnet-4-5');
  });

  test('its mode narrows that of the session and never opens it', async () => {
    const house = createHouse(() => 'Done.');
    const planning = house.connect(as({ permissionMode: 'plan' }, { permissionMode: 'acceptEdits' }));
    await planning.ask('go');
    expect(init(planning).permissionMode).toBe('plan');
    expect(warnings(house)).toEqual([]);
    const open = house.connect(as({ permissionMode: 'bypassPermissions' }, { allowDangerouslySkipPermissions: true }));
    await open.ask('go');
    expect(init(open).permissionMode).toBe('default');
    expect(warnings(house)).toEqual([expect.stringContaining('asks for the mode bypassPermissions')]);
  });

  test('one of ours has our words', async () => {
    const house = createHouse(['Done.']);
    await house.connect({ agent: 'explore' }).ask('go');
    expect(systemOf(house)).not.toContain(SYSTEM_PROMPT.slice(0, 40));
    expect(systemOf(house)).toContain('# Care');
  });

  test('may come with initialize', async () => {
    const house = createHouse(['Done.']);
    const client = house.connect({ agent: 'reviewer', inputFormat: 'stream-json' });
    await client.control({ subtype: 'initialize', agents: { reviewer: { ...REVIEWER, tools: ['Read'] } } });
    expect(await client.ask('go')).toMatchObject({ subtype: 'success', is_error: false });
    expect(systemOf(house)).toMatch(/^You review code\./);
    expect(init(client).tools).toEqual(['Read']);
  });
});

describe('[B-003] a name that no agent has', () => {
  const problem = "--agent: No agent is called 'nobody'. These exist: Bash, general-purpose, Explore, Plan, reviewer";

  test('is an error at the start that names those there are', async () => {
    await expect(open(as({}, { agent: 'nobody' }))).rejects.toMatchObject({ code: 'invalid_option', message: problem });
  });

  test('is the result of each prompt where initialize could have brought it and did not', async () => {
    const house = createHouse([]);
    const client = house.connect(as({}, { agent: 'nobody', inputFormat: 'stream-json' }));
    await client.control({ subtype: 'initialize' });
    const result = await client.ask('go');
    expect(result).toMatchObject({ is_error: true, error_code: 'invalid_option', errors: [problem] });
    expect(house.model.requests).toEqual([]);
  });
});

describe('[B-235] --agents', () => {
  test.each([
    ['{"x":', /^--agents: this is no JSON: /],
    ['[]', /^--agents: give an object: /],
    ['{"x":"y"}', /^--agents: x: an agent is an object/],
    ['{"x":{"prompt":"p"}}', '--agents: x: its description must be a text'],
    ['{"x":{"description":"d","prompt":" "}}', '--agents: x: its prompt must be a text'],
    ['{"x":{"description":"d","prompt":"p","tools":"Bash"}}', '--agents: x: its tools must be a list of names'],
    ['{"x":{"description":"d","prompt":"p","model":3}}', '--agents: x: its model must be a text'],
  ])('%s is refused at the start, with the reason', async (agents, message) => {
    const refusal = { code: 'invalid_option', message: expect.stringMatching(message) };
    await expect(open({ agents })).rejects.toMatchObject(refusal);
  });
});
