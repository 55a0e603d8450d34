import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { SessionUsage } from '../../../src/wire/control/index.ts';
import { type Client, createHouse, lastTexts } from '../support.ts';

const TODAY = '2.1.325';

async function speaking(client: Client, clientDialect: string | undefined): Promise<Client> {
  await client.control({ subtype: 'initialize', ...(clientDialect && { clientDialect }) });
  return client;
}

describe('what was pasted', () => {
  test('[B-151] follows what was typed, texts only, also behind the words of a command', async () => {
    const house = createHouse(() => 'fine');
    house.file('x', '');
    const client = house.connect();
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
    const pasted_content = ['one\ntwo', [{ type: 'text', text: 'three' }, image], ' '];
    await client.ask('Explain this:', { pasted_content });
    const pasted = ['one\ntwo', 'three'].map((text) => `<pasted_content>\n${text}\n</pasted_content>`);
    expect(lastTexts(house.model.requests[0])[0]).toBe(['Explain this:', ...pasted].join('\n\n'));
    const answer = await client.ask('/model', { pasted_content: ['haiku'] });
    expect(JSON.stringify(answer)).toContain('pasted_content');
    await client.ask('many', { pasted_content: Array.from({ length: 1001 }, () => 'x') });
    expect(lastTexts(house.model.requests.at(-1))).toContain('many');
  });
});

describe('signs of life', () => {
  const slow = [toolUse('Bash', { command: 'sleep 0.3' }), 'done'];
  test.each([
    [TODAY, true],
    [undefined, undefined],
  ])('[K46] to a host of %s a call that goes on says whether that is all it says: %s', async (dialect, heartbeat) => {
    const house = createHouse(slow, { env: { HOME: '/nowhere', PATH: process.env.PATH, HEDDLE_PROGRESS_MS: '50' } });
    const client = await speaking(house.connect({ permissionMode: 'bypassPermissions' }), dialect);
    await client.ask('go');
    const [line] = client.lines.filter(({ type }) => type === 'tool_progress');
    expect(line).toMatchObject({ tool_name: 'Bash' });
    expect(line?.heartbeat).toBe(heartbeat);
  });
});

describe('an agent', () => {
  test.each([TODAY, undefined])('[K46] what is told of it in the end, to a host of %s', async (dialect) => {
    const house = createHouse([
      toolUse('Task', { description: 'write', prompt: 'write', subagent_type: 'general-purpose' }),
      toolUse('Write', { file_path: 'a.txt', content: 'one\ntwo\n' }),
      'written',
      'done',
    ]);
    const client = await speaking(house.connect({ permissionMode: 'bypassPermissions' }), dialect);
    await client.ask('go');
    const told = client.lines.map(({ tool_use_result: data }) => data as JsonObject | undefined);
    const data = told.find((each) => each?.agentId !== undefined);
    const counted = { editFileCount: 1, linesAdded: 2, linesRemoved: 0, bashCount: 0 };
    if (dialect) {
      expect(data).toMatchObject({
        agentType: 'general-purpose',
        resolvedModel: expect.any(String),
        toolStats: counted,
      });
    } else expect(Object.keys(data ?? {})).not.toContain('toolStats');
    const usage = (await client.control({ subtype: 'get_usage' })).response as SessionUsage;
    expect(usage.session).toMatchObject({ total_lines_added: 2, total_lines_removed: 0 });
  });
});

test('[K46, B-244] /context tells programs what its table says, where they know the field', async () => {
  const house = createHouse(() => 'fine');
  const today = await speaking(house.connect(), TODAY);
  await today.ask('/context');
  const [line] = today.lines.filter(({ type }) => type === 'assistant');
  expect(line?.context_usage).toMatchObject({
    model: expect.stringContaining('claude'),
    raw_max_tokens: 200_000,
    categories: expect.arrayContaining([{ name: 'System prompt', tokens: expect.any(Number), kind: 'used' }]),
    memory_files: [],
    agents: [],
  });
  const then = await speaking(house.connect(), undefined);
  await then.ask('/context');
  expect(then.lines.filter((each) => 'context_usage' in each)).toEqual([]);
});
