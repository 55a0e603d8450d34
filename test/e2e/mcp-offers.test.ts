import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { type Line, lastAsked, toolResult } from '../support/lines.ts';
import { type HostAnswers, hostServers, initialized, type McpAnswers } from '../support/mcp-host.ts';
import { makePlace } from '../support/place.ts';

/** What servers have beside tools, and what they may ask of the session, through the command line. */

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const DOCS: McpAnswers = {
  initialize: initialized({ resources: {}, prompts: {} }, { instructions: 'Ask the docs first.' }),
  'resources/list': { result: { resources: [{ uri: 'doc://1', name: 'One', mimeType: 'text/plain' }] } },
  'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: 'doc://{id}', name: 'Any' }] } },
  'resources/read': ({ uri }) => {
    if (uri === 'doc://1') return { result: { contents: [{ uri, text: 'warp and weft' }] } };
    if (uri === 'doc://pic') return { result: { contents: [{ uri, blob: PIXEL, mimeType: 'image/png' }] } };
    return { error: { code: -32002, message: 'Resource not found' } };
  },
  'prompts/list': {
    result: { prompts: [{ name: 'review', description: 'Reviews', arguments: [{ name: 'what', required: true }] }] },
  },
  'prompts/get': ({ arguments: args }) => ({
    result: {
      messages: [{ role: 'user', content: { type: 'text', text: `Review !\`rm x\` ${JSON.stringify(args)}` } }],
    },
  }),
};

async function session(
  script: Parameters<typeof makePlace>[0],
  { flags = [], docs = {}, host = {} }: { flags?: string[]; docs?: McpAnswers; host?: HostAnswers } = {},
) {
  const place = await makePlace(script);
  const cli = startCli([...STREAM_BOTH, ...flags], { place });
  const servers = hostServers(cli, { docs: { ...DOCS, ...docs } }, host);
  const initialize = (more: object = {}) => cli.control({ subtype: 'initialize', sdkMcpServers: ['docs'], ...more });
  const ask = async (prompt: string) => {
    cli.say(prompt);
    return cli.nextResult();
  };
  return { place, cli, servers, initialize, ask };
}

const initOf = (lines: Line[]) => lines.findLast(({ subtype }) => subtype === 'init');
const results = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);

describe('[B-225] resources', () => {
  test('are listed and read by two tools, reading by permission for the server', async () => {
    const script = [
      toolUse('ListMcpResourcesTool', {}),
      toolUse('ListMcpResourcesTool', { server: 'nope' }),
      toolUse('ReadMcpResourceTool', { server: 'docs', uri: 'doc://1' }),
      toolUse('ReadMcpResourceTool', { server: 'docs', uri: 'doc://2' }),
      toolUse('ReadMcpResourceTool', { server: 'docs', uri: 'doc://pic' }),
      'Read.',
    ];
    const { cli, initialize, ask } = await session(script, { flags: ['--allowedTools', 'ReadMcpResourceTool(docs)'] });
    await initialize();
    await ask('go');
    expect(initOf(cli.lines)?.tools).toEqual(expect.arrayContaining(['ListMcpResourcesTool', 'ReadMcpResourceTool']));
    const [list, unknown, read, missing, picture] = results(cli.lines);
    expect(JSON.parse(String(list?.content))).toEqual([
      { uri: 'doc://1', name: 'One', mimeType: 'text/plain', server: 'docs' },
      { uriTemplate: 'doc://{id}', name: 'Any', server: 'docs' },
    ]);
    expect(unknown).toMatchObject({ is_error: true, content: expect.stringContaining('There are: docs') });
    expect(read).toMatchObject({ content: [{ type: 'text', text: 'warp and weft' }] });
    expect(missing).toMatchObject({ is_error: true, content: expect.stringContaining('Resource not found') });
    expect(picture).toMatchObject({ content: [{ type: 'image' }] });
    const told = cli.lines.filter((line) => toolResult(line)).map(({ tool_use_result }) => tool_use_result);
    expect(told[2]).toEqual({ contents: [{ uri: 'doc://1', text: 'warp and weft' }] });
  });

  test('are not read without permission', async () => {
    const script = [toolUse('ReadMcpResourceTool', { server: 'docs', uri: 'doc://1' }), 'No.'];
    const { servers, initialize, ask } = await session(script);
    await initialize();
    expect(await ask('go')).toMatchObject({ permission_denials: [{ tool_name: 'ReadMcpResourceTool' }] });
    expect(servers.methods()).not.toContain('resources/read');
  });

  test('that a prompt mentions are shown beside it', async () => {
    const { place, cli, initialize, ask } = await session(['Seen.', 'Missing.']);
    await initialize();
    await ask('What is in @docs:doc://1, please? And @someone:else?');
    expect(lastAsked(place.api.requests)).toContain(
      '<mentioned-resource>\ndocs:doc://1 was mentioned. This is what it holds:\n</mentioned-resource>\n<mentioned-resource>\nwarp and weft\n</mentioned-resource>',
    );
    await ask('And @docs:doc://9?');
    expect(lastAsked(place.api.requests)).toContain('docs:doc://9 was mentioned, but not read: doc://9 could not be');
    expect(cli.stderr).toBe('');
  });

  test('that a prompt mentions and that never come do not hold up an interrupt', async () => {
    const never = () => new Promise<object>(() => {});
    const { cli, servers, initialize } = await session([], { docs: { 'resources/read': never } });
    await initialize();
    cli.say('What is in @docs:doc://1?');
    await cli.until(() => servers.methods().includes('resources/read'));
    const began = performance.now();
    await cli.control({ subtype: 'interrupt' });
    expect(await cli.nextResult()).toMatchObject({ type: 'result', is_error: true });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test.each(['ReadMcpResourceTool', 'ReadMcpResourceTool(docs)'])(
    'that the rule %s closes are not read for a mention either',
    async (rule) => {
      const { place, servers, initialize, ask } = await session(['No.'], { flags: ['--disallowedTools', rule] });
      await initialize();
      await ask('What is in @docs:doc://1');
      expect(servers.methods()).not.toContain('resources/read');
      expect(lastAsked(place.api.requests)).toContain('but not read: a rule forbids it');
    },
  );

  const LIST = { subtype: 'mcp_list_resources' };

  test('are listed for hosts that complete mentions: no templates, no pages of tools, none that a rule closes', async () => {
    const page = { uri: 'ui://docs/page', name: 'Page' };
    const one = { uri: 'doc://1', name: 'One', description: 'The first', mimeType: 'text/plain' };
    const docs = { 'resources/list': { result: { resources: [one, page] } } };
    const open = await session(['No.'], { docs });
    await open.initialize();
    const { response } = await open.cli.control(LIST);
    expect(response).toEqual({ resources: [{ server: 'docs', ...one }] });
    const closed = await session(['No.'], { docs, flags: ['--disallowedTools', 'ReadMcpResourceTool(docs)'] });
    await closed.initialize();
    expect(await closed.cli.control(LIST)).toMatchObject({ response: { resources: [] } });
  });

  test('of a server that cannot list them are named as missing', async () => {
    const { cli, initialize } = await session(['No.'], {
      docs: { 'resources/list': { error: { code: -32000, message: 'the shelf is empty' } } },
    });
    await initialize();
    const { response } = await cli.control(LIST);
    expect(response).toEqual({ resources: [], failed: [{ server: 'docs', error: expect.stringContaining('shelf') }] });
  });
});

describe('prompts', () => {
  test('are commands, listed and expanded, and nothing in their text is run', async () => {
    const { place, cli, servers, initialize, ask } = await session(['Hello.', 'Reviewed.']);
    await initialize();
    await ask('hello');
    expect(initOf(cli.lines)?.slash_commands).toContain('mcp__docs__review');
    const { response } = await cli.control({ subtype: 'reload_plugins' });
    expect((response as { commands: object[] }).commands).toContainEqual({
      name: 'mcp__docs__review',
      description: 'Reviews',
      argumentHint: '<what>',
    });
    expect(await ask('/mcp__docs__review the loom')).toMatchObject({ subtype: 'success', result: 'Reviewed.' });
    expect(servers.asked.at(-1)).toMatchObject({ params: { name: 'review', arguments: { what: 'the loom' } } });
    const asked = lastAsked(place.api.requests);
    expect(asked).toContain('<command-name>/mcp__docs__review</command-name>');
    expect(asked).toContain('Review !`rm x` {"what":"the loom"}');
  });

  test('that lack an argument or fail are refused, and nothing is sent', async () => {
    const docs = { 'prompts/get': { error: { code: -32603, message: 'out of yarn' } } };
    const { place, initialize, ask } = await session([], { docs });
    await initialize();
    expect(await ask('/mcp__docs__review')).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('<what>')],
    });
    expect(await ask('/mcp__docs__review x')).toMatchObject({ errors: [expect.stringContaining('out of yarn')] });
    expect(place.api.requests).toEqual([]);
  });

  test('follow prompts/list_changed', async () => {
    const docs = { ...DOCS };
    const { cli, servers, initialize, ask } = await session(['One.', 'Two.'], { docs });
    await initialize();
    await ask('one');
    const listed = () => servers.methods().filter((method) => method === 'prompts/list').length;
    await servers.send('docs', { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    await cli.until(() => listed() === 2);
  });
});

describe('[B-202] instructions of servers', () => {
  test('reach the model, once', async () => {
    const { place, initialize, ask } = await session(['One.', 'Two.']);
    await initialize();
    await ask('one');
    await ask('two');
    const asked = lastAsked(place.api.requests);
    expect(asked.split('Ask the docs first.')).toHaveLength(2);
    expect(asked).toMatch(/<system-reminder>\nMCP servers say[^<]*## docs\nAsk the docs first\.\n<\/system-reminder>/);
  });
});

test('[K7] a server that a rule takes away has nothing left', async () => {
  const flags = ['--disallowedTools', 'mcp__docs'];
  const { place, cli, servers, initialize, ask } = await session(['One.', 'Two.'], { flags });
  await initialize();
  await ask('Look at @docs:doc://1');
  const init = initOf(cli.lines);
  const names = [init?.tools, init?.slash_commands].flatMap((list) => list as string[]);
  expect(names.filter((name) => /mcp/i.test(name))).toEqual([]);
  expect(servers.methods()).not.toContain('resources/read');
  expect(lastAsked(place.api.requests)).not.toContain('Ask the docs first');
  expect(await ask('/mcp__docs__review x')).toMatchObject({ result: 'Unknown skill: mcp__docs__review' });
});

describe('what a server asks', () => {
  const ready = async (given: Parameters<typeof session>[1] = {}, script: Parameters<typeof makePlace>[0] = []) => {
    const made = await session(script, given);
    const answer = await made.initialize();
    expect(answer).toMatchObject({ subtype: 'success' });
    await made.cli.until(() => made.servers.methods().includes('prompts/list'));
    await made.cli.control({ subtype: 'mcp_status' });
    return made;
  };
  const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params });
  const question = request('elicitation/create', {
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
  });

  test('roots are the directories that are worked in, and changes are told', async () => {
    const host: HostAnswers = {
      can_use_tool: () => ({
        behavior: 'allow',
        updatedPermissions: [{ type: 'addDirectories', directories: ['..'], destination: 'session' }],
      }),
    };
    const script = [toolUse('Write', { file_path: 'a.txt', content: 'a' }), 'Done.'];
    const { place, cli, servers } = await ready({ host, flags: ['--permission-prompt-tool', 'stdio'] }, script);
    const roots = async () => (await servers.send('docs', request('roots/list'))).result;
    expect(await roots()).toEqual({ roots: [{ uri: `file://${place.cwd}`, name: 'work' }] });
    cli.say('go');
    await cli.nextResult();
    expect(servers.methods()).toContain('notifications/roots/list_changed');
    expect((await roots()) as object).toMatchObject({ roots: [{ name: 'work' }, { uri: `file://${place.root}` }] });
  });

  test('[B-183, B-164] a question goes to the host, and its answer to the server', async () => {
    const seen: unknown[] = [];
    const host: HostAnswers = {
      elicitation: (asked) => {
        seen.push(asked);
        return { action: 'accept', content: { colour: 'red' } };
      },
    };
    const { servers } = await ready({ host });
    expect(await servers.send('docs', question)).toMatchObject({
      id: 7,
      result: { action: 'accept', content: { colour: 'red' } },
    });
    expect(seen).toEqual([
      {
        subtype: 'elicitation',
        mcp_server_name: 'docs',
        message: 'Which colour?',
        requested_schema: question.params && (question.params as { requestedSchema: object }).requestedSchema,
      },
    ]);
  });

  test.each([
    ['nothing', {}, { colour: 'red', count: 0 }],
    ['something', { colour: 'blue' }, { colour: 'blue' }],
  ])('[B-183] who accepts a form and fills in %s', async (_what, content, expected) => {
    const properties = {
      colour: { type: 'string', default: 'red' },
      count: { type: 'integer', default: 0 },
      name: { type: 'string' },
    };
    const { servers } = await ready({ host: { elicitation: () => ({ action: 'accept', content }) } });
    const form = request('elicitation/create', { message: 'Which?', requestedSchema: { type: 'object', properties } });
    const answer = await servers.send('docs', form);
    expect(answer.result).toEqual({ action: 'accept', content: expected });
  });

  test.each([
    ['is no answer', () => ({ yes: true })],
    ['has a strange action', () => ({ action: 'maybe' })],
  ])('[B-183] what %s is a refusal', async (_what, elicitation) => {
    const { servers } = await ready({ host: { elicitation } });
    expect(await servers.send('docs', question)).toMatchObject({ result: { action: 'decline' } });
  });

  test('[B-183] hooks answer before the host, and have the last word', async () => {
    const inputs: Record<string, unknown>[] = [];
    const output = (hookEventName: string, more: object) => ({ hookSpecificOutput: { hookEventName, ...more } });
    const host: HostAnswers = {
      elicitation: () => ({ action: 'cancel' }),
      hook_callback: ({ callback_id, input }) => {
        inputs.push(input as Record<string, unknown>);
        return callback_id === 'ask'
          ? output('Elicitation', { action: 'accept', content: { colour: 'blue' } })
          : output('ElicitationResult', { action: 'accept', content: { colour: 'green' } });
      },
    };
    const made = await session([], { host });
    const hooks = {
      Elicitation: [{ matcher: 'docs', hookCallbackIds: ['ask'] }],
      ElicitationResult: [{ hookCallbackIds: ['result'] }],
    };
    await made.initialize({ hooks });
    await made.cli.until(() => made.servers.methods().includes('prompts/list'));
    await made.cli.control({ subtype: 'mcp_status' });
    expect(await made.servers.send('docs', question)).toMatchObject({
      result: { action: 'accept', content: { colour: 'green' } },
    });
    expect(inputs).toMatchObject([
      { hook_event_name: 'Elicitation', mcp_server_name: 'docs', message: 'Which colour?' },
      { hook_event_name: 'ElicitationResult', action: 'accept', content: { colour: 'blue' } },
    ]);
  });

  test('[B-126] that a question elsewhere is answered is told', async () => {
    const { cli, servers } = await ready();
    const params = { elicitationId: 'e1' };
    await servers.send('docs', { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params });
    await cli.until(() => cli.lines.some(({ subtype }) => subtype === 'elicitation_complete'));
    const line = cli.lines.find(({ subtype }) => subtype === 'elicitation_complete');
    expect(line).toMatchObject({ type: 'system', mcp_server_name: 'docs', elicitation_id: 'e1' });
  });

  const sampling = request('sampling/createMessage', {
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum up' } }],
    maxTokens: 100,
  });

  test('an answer of the model is refused unless the user allows it', async () => {
    const { place, servers } = await ready();
    expect(await servers.send('docs', sampling)).toMatchObject({
      error: { message: expect.stringContaining('allow') },
    });
    expect(place.api.requests).toEqual([]);
  });

  test('an answer of the model is given where the settings allow the server', async () => {
    const settings = JSON.stringify({ allowMcpSampling: ['docs'] });
    const { place, servers } = await ready({ flags: ['--settings', settings] }, ['In short.']);
    expect(await servers.send('docs', sampling)).toMatchObject({
      result: { role: 'assistant', content: { type: 'text', text: 'In short.' } },
    });
    expect(place.api.requests[0]?.body).toMatchObject({ max_tokens: 100 });
  });
});
