import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail } from '../../src/testing/index.ts';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, type House, lastTexts } from '../host/support.ts';
import { ROOT } from '../support/root.ts';

const SERVER = join(ROOT, 'test/support/page-mcp-server.mjs');
const TODAY = { clientDialect: '2.1.325' };

/** A session with a callback for these events; `told` is what they were called with. */
async function open(
  house: House,
  answers: Record<string, JsonObject>,
  { config = {}, dialect = TODAY as JsonObject } = {},
) {
  const told: JsonObject[] = [];
  const client = house.connect(
    { permissionPromptTool: 'stdio', ...config },
    {
      answer(request) {
        if (request.subtype === 'can_use_tool') return { behavior: 'allow' };
        if (request.subtype !== 'hook_callback') return undefined;
        const input = request.input as JsonObject;
        told.push(input);
        return answers[String(input.hook_event_name)] ?? {};
      },
    },
  );
  const hooks = Object.keys(answers).map((event, at) => [event, [{ hookCallbackIds: [`hook_${at}`] }]]);
  await client.control({ subtype: 'initialize', hooks: Object.fromEntries(hooks), ...dialect });
  const of = (event: string) => told.filter(({ hook_event_name }) => hook_event_name === event);
  return { client, told, of };
}

const specific = (hookEventName: string, fields: JsonObject) => ({ hookSpecificOutput: { hookEventName, ...fields } });

describe('what hooks are told today', () => {
  test('[B-156] whose tool it is, where that is a server’s', async () => {
    const house = createHouse([toolUse('mcp__loom__weave', {}), toolUse('Bash', { command: 'true' }), 'done']);
    const loom = { command: process.execPath, args: [SERVER, house.dir] };
    const config = { mcpConfig: [JSON.stringify({ mcpServers: { loom } })] };
    const { client, told } = await open(house, { PreToolUse: {}, PermissionRequest: {}, PostToolUse: {} }, { config });
    await client.ask('go');
    expect(told.map(({ hook_event_name, mcp_server }) => [hook_event_name, mcp_server])).toEqual([
      ...['PreToolUse', 'PermissionRequest', 'PostToolUse'].map((event) => [
        event,
        { name: 'loom', source: 'dynamic' },
      ]),
      ['PreToolUse', undefined],
      ['PostToolUse', undefined],
    ]);
  });

  test('who says a prompt, what the session is called, and how it stands with one that goes on', async () => {
    const house = createHouse(() => 'fine');
    const first = await open(house, { SessionStart: {}, UserPromptSubmit: {} }, { config: { sessionName: 'Loom' } });
    const { session_id } = await first.client.ask('hello');
    expect(first.of('SessionStart')).toMatchObject([{ source: 'startup', model: expect.stringContaining('claude') }]);
    expect(first.of('SessionStart')[0]).not.toHaveProperty('seconds_since_last_response');
    expect(first.of('UserPromptSubmit')).toMatchObject([{ prompt: 'hello', source: 'sdk' }]);
    await first.client.close();
    const again = await open(house, { SessionStart: {} }, { config: { resume: session_id } });
    await again.client.ask('more');
    expect(again.of('SessionStart')).toMatchObject([
      {
        source: 'resume',
        seconds_since_last_response: expect.any(Number),
        context_tokens: expect.any(Number),
        prompt_cache_likely_expired: false,
        estimated_cache_write_usd: expect.any(Number),
      },
    ]);
    await again.client.close();
    const fork = await open(house, { SessionStart: {} }, { config: { resume: session_id, forkSession: true } });
    await fork.client.ask('beside');
    expect(fork.of('SessionStart')).toMatchObject([{ source: 'fork' }]);
  });

  test('[K46] hosts of earlier versions hear what they did', async () => {
    const { client, told } = await open(
      createHouse(() => 'fine'),
      { SessionStart: {}, UserPromptSubmit: {} },
      { dialect: {} },
    );
    await client.ask('hello');
    expect(Object.keys(told[0] ?? {})).not.toContain('model');
    expect(Object.keys(told[1] ?? {})).not.toContain('source');
  });

  test('a directory that was added, and by what', async () => {
    const house = createHouse(() => 'fine');
    const sub = join(house.dir, 'sub');
    mkdirSync(sub);
    const { client, of } = await open(house, { DirectoryAdded: {} });
    await client.ask('one');
    await client.control({ subtype: 'register_repo_root', directory: sub });
    await client.ask('two');
    expect(of('DirectoryAdded')).toMatchObject([{ directory: sub, directory_path: sub, source: 'register_repo_root' }]);
  });

  test.each([
    [fail(401, 'authentication_error', 'no'), 'authentication_failed'],
    [fail(404, 'not_found_error', 'model: nothing'), 'model_not_found'],
  ])('[B-178] a failure by the word that answers have for it', async (answer, error) => {
    const { client, of } = await open(createHouse([answer]), { StopFailure: {} });
    await client.ask('go');
    expect(of('StopFailure')).toMatchObject([{ error }]);
  });
});

describe('what hooks may say today', () => {
  test('SessionStart: something to be said first, and a title', async () => {
    const house = createHouse(() => 'fine');
    const answer = specific('SessionStart', { initialUserMessage: 'Look around first.', sessionTitle: 'Night shift' });
    const { client } = await open(house, { SessionStart: answer });
    const { session_id } = await client.ask('Now the parser.');
    const said = lastTexts(house.model.requests[0]);
    expect(said.slice(0, 2)).toEqual(['Look around first.', 'Now the parser.']);
    await client.ask('And on.');
    expect(lastTexts(house.model.requests[1]).join()).not.toContain('Look around');
    const entries = await house.entries(String(session_id));
    expect(entries.filter(({ type }) => type === 'custom-title')).toMatchObject([{ customTitle: 'Night shift' }]);
  });

  test('SessionStart: skills that it has written are there at once', async () => {
    const house = createHouse(() => 'fine');
    const skill = join(house.dir, '.claude/skills/fresh');
    mkdirSync(skill, { recursive: true });
    const written = () => writeFileSync(join(skill, 'SKILL.md'), '---\nname: fresh\ndescription: New.\n---\nDo it.');
    const answers = { SessionStart: specific('SessionStart', { reloadSkills: true }) };
    const config = { settingSources: ['project' as const] };
    const { client } = await open(house, answers, { config });
    written();
    const lines = client.lines.length;
    await client.ask('go');
    const init = client.lines.slice(lines).find(({ subtype }) => subtype === 'init');
    expect(init?.skills).toContain('fresh');
  });

  test.each([
    [true, 'secret plan', false],
    [false, 'secret plan', true],
  ])(
    'UserPromptSubmit: a prompt that is held up is repeated unless it is to be hidden (%s)',
    async (hide, prompt, told) => {
      const house = createHouse(() => 'fine');
      const answer = {
        decision: 'block',
        reason: 'no',
        ...specific('UserPromptSubmit', { suppressOriginalPrompt: hide }),
      };
      const { client } = await open(house, { UserPromptSubmit: answer });
      const { session_id } = await client.ask(prompt);
      expect(JSON.stringify(await house.entries(String(session_id))).includes(prompt)).toBe(told);
    },
  );

  test('UserPromptSubmit: a title', async () => {
    const house = createHouse(() => 'fine');
    const { client, of } = await open(house, {
      UserPromptSubmit: specific('UserPromptSubmit', { sessionTitle: 'Parser' }),
    });
    await client.ask('one');
    await client.ask('two');
    expect(of('UserPromptSubmit').map(({ session_title }) => session_title)).toEqual([undefined, 'Parser']);
  });
});
