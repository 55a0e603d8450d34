import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { ask } from '../support/extensions.ts';
import { initOf, type Line, resultOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const SERVER = join(import.meta.dirname, '../support/page-mcp-server.mjs');

describe('the answer to initialize', () => {
  test('[B-078] says that onFailure of hooks is honoured, and that the hooks act', async () => {
    const place = await makePlace();
    const cli = startCli(STREAM_BOTH, { place });
    const hooks = { PreToolUse: [{ hookCallbackIds: ['h0'], onFailure: 'block' }] };
    expect(await answerOf(cli, { hooks })).toMatchObject({ hook_on_failure_supported: true, hooks_applied: true });
    const again = await answerOf(cli, { hooks: {} });
    expect(again).toMatchObject({ hook_on_failure_supported: true, hooks_applied: false });
    expect(await answerOf(cli, {})).not.toHaveProperty('hooks_applied');
  });

  test('says what became of the manifests of servers', async () => {
    const place = await makePlace();
    const cli = startCli(STREAM_BOTH, { place });
    const body = {
      sdkMcpServers: ['a', 'b'],
      sdkMcpServerManifests: { a: { initializeResult: {} }, b: { initializeResult: 1 }, c: { initializeResult: {} } },
    };
    const parked = { a: 'parked', b: 'malformed' };
    expect((await answerOf(cli, body)).sdk_mcp_manifests_parked).toEqual(parked);
    const again = await answerOf(cli, { ...body, sdkMcpServers: ['a', 'c'] });
    expect(again.sdk_mcp_manifests_parked).toEqual({ a: 'already_connected', c: 'not_honoured' });
  });

  test('[B-077] lists the levels of effort that each model takes', async () => {
    const place = await makePlace();
    const { models } = await answerOf(startCli(STREAM_BOTH, { place }), {});
    const of = (value: string) => (models as Record<string, unknown>[]).find((each) => each.value === value);
    expect(of('opus')).toMatchObject({
      supportsEffort: true,
      supportedEffortLevels: ['low', 'medium', 'high', 'max'],
      supportsFastMode: false,
      supportsAutoMode: true,
    });
    expect(of('sonnet')).toMatchObject({ supportsEffort: false });
    expect(of('offline')).not.toHaveProperty('supportsEffort');
  });

  test('echoes the output style that is in force, also one that was changed since', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli([...STREAM_BOTH, '--settings', '{"outputStyle":"Explanatory"}'], { place });
    expect(await answerOf(cli, {})).toMatchObject({ output_style: 'Explanatory' });
    expect(initOf(await ask(cli, 'hi')).output_style).toBe('Explanatory');
    const learning = { outputStyle: 'Learning' };
    const applied = await cli.control({ subtype: 'apply_flag_settings', settings: learning });
    expect(applied).toMatchObject({ response: { without_effect: [] } });
    expect(initOf(await ask(cli, 'hi')).output_style).toBe('Learning');
    await cli.control({ subtype: 'apply_flag_settings', settings: { outputStyle: null } });
    expect(initOf(await ask(cli, 'hi')).output_style).toBe('default');
  });

  test('[B-170] a style that a host writes to the settings of the project acts from the next turn on', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli([...STREAM_BOTH, '--setting-sources', 'user,project,local'], { place });
    await answerOf(cli, {});
    const settings = { outputStyle: 'Explanatory' };
    const written = await cli.control({ subtype: 'update_settings', source: 'localSettings', settings });
    expect(written).toMatchObject({ subtype: 'success' });
    expect(initOf(await ask(cli, 'hi')).output_style).toBe('Explanatory');
  });
});

describe('plugins and what forbids, by the first request', () => {
  test('[B-072, B-174] --await-initialize loads the plugins of initialize, as flags would', async () => {
    const place = await makePlace(() => 'ok');
    const plugins = [
      { type: 'local', path: kit(place, 'one') },
      { type: 'local', path: kit(place, 'two'), skipMcpDiscovery: true },
    ];
    const cli = startCli([...STREAM_BOTH, '--await-initialize'], { place });
    const answer = await answerOf(cli, { plugins });
    expect(answer.plugins_applied).toBe(true);
    expect(namesIn(answer.commands)).toEqual(expect.arrayContaining(['one:hello', 'two:hello']));
    const init = initOf(await ask(cli, 'hi'));
    expect(namesIn(init.plugins)).toEqual(['one', 'two']);
    expect(namesIn(init.mcp_servers)).toEqual(['plugin:one:page']);
    const { stderr } = await ended(cli);
    expect(stderr).not.toMatch(/no effect/);
  });

  test('without that flag nothing is loaded, and the answer says so; by flags it is', async () => {
    const place = await makePlace(() => 'ok');
    const plugins = [{ type: 'local', path: kit(place, 'one') }];
    expect(await answerOf(startCli(STREAM_BOTH, { place }), { plugins })).toMatchObject({ plugins_applied: false });
    const launched = startCli([...STREAM_BOTH, '--plugin-dir', plugins[0]?.path ?? ''], { place });
    expect(await answerOf(launched, { plugins })).toMatchObject({ plugins_applied: true });
    expect(await answerOf(startCli(STREAM_BOTH, { place }), {})).not.toHaveProperty('plugins_applied');
  });

  test('[B-142] --await-initialize: another first line is an error result that says so', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli([...STREAM_BOTH, '--await-initialize'], { place });
    cli.say('hi');
    const { code, lines, stderr } = await ended(cli);
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { type: 'result', subtype: 'error_during_execution', startup_failure_reason: 'initialize_not_first' },
    ]);
    expect(stderr).toContain('must be the initialize request');
    expect((await runCli([...STREAM_BOTH, '--await-initialize'], { place })).code).toBe(0);
  });

  test('--managed-settings-in-initialize: they forbid, and nothing runs without them', async () => {
    const place = await makePlace(() => 'ok');
    const flags = [...STREAM_BOTH, '--managed-settings-in-initialize', '--allowedTools', 'Bash'];
    const cli = startCli(flags, { place });
    await answerOf(cli, { managedSettings: { permissions: { deny: ['Bash'] } } });
    expect(initOf(await ask(cli, 'hi')).tools).not.toContain('Bash');
    for (const [line, problem] of [
      [{ subtype: 'initialize' }, 'no object managedSettings'],
      [{ subtype: 'interrupt' }, 'no initialize request'],
    ] as const) {
      const bare = startCli(flags, { place });
      bare.send({ type: 'control_request', request_id: '1', request: line });
      bare.endInput();
      const { code, lines } = await bare.finished;
      expect(code).toBe(1);
      expect(resultOf(lines)).toMatchObject({ startup_failure_reason: 'managed_settings_not_delivered' });
      expect(String(resultOf(lines).errors)).toContain(problem);
    }
    expect((await runCli(flags, { place })).code).toBe(1);
  });
});

describe('[B-142] why a run could not start', () => {
  const today = { CLAUDE_AGENT_SDK_VERSION: '0.3.325' };
  const asks = { CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1' };

  test("a settings file that is no JSON is a result for today's hosts, with its path", async () => {
    const place = await makePlace();
    const path = join(place.home, 'settings.json');
    put(path, '{ nonsense');
    const { code, lines } = await runCli([...STREAM_BOTH], { place, env: today });
    expect(code).toBe(1);
    expect(resultOf(lines)).toMatchObject({
      startup_failure_reason: 'config_file_invalid',
      invalid_config_file: { path, is_global: false },
    });
    expect((await runCli([...STREAM_BOTH], { place })).lines).toEqual([]);
  });

  test('others are, where a host asks for it', async () => {
    const place = await makePlace();
    const flags = [...STREAM_BOTH, '--managed-settings', '{"permissions":{"x":1}}'];
    expect((await runCli(flags, { place, env: today })).lines).toEqual([]);
    const { lines } = await runCli(flags, { place, env: { ...today, ...asks } });
    expect(resultOf(lines)).toMatchObject({ startup_failure_reason: 'managed_settings_invalid' });
  });
});

describe('flags of the reference', () => {
  test('--plugin-dir-no-mcp loads a plugin without its servers', async () => {
    const place = await makePlace(() => 'ok');
    const { lines, stderr, code } = await runCli(
      [...STREAM_OUT, 'hi', `--plugin-dir-no-mcp=${kit(place, 'kit')}`, '--setting-sources', ''],
      { place },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(initOf(lines)).toMatchObject({ plugins: [{ name: 'kit' }], mcp_servers: [] });
    expect(initOf(lines).slash_commands).toContain('kit:hello');
  });

  test('--agents takes a file', async () => {
    const place = await makePlace(() => 'ok');
    put(join(place.cwd, 'agents.json'), JSON.stringify({ scout: { description: 'Looks', prompt: 'Look.' } }));
    const { lines } = await runCli([...STREAM_OUT, 'hi', '--agents', 'agents.json'], { place });
    expect(initOf(lines).agents).toContain('scout');
    const missing = await runCli([...STREAM_OUT, 'hi', '--agents', 'gone.json'], { place });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/--agents: .*gone\.json/) });
  });

  test.each([
    [['--exclude-dynamic-system-prompt-sections'], /is always so: the system prompt here is the same/],
    [['--system-prompt-snapshot', 'on'], /is not needed: the system prompt here is the same/],
  ])('[K38] %j is answered by what is so anyway', async (flags, note) => {
    const place = await makePlace(() => 'ok');
    const { code, stderr } = await runCli(['-p', 'hi', ...flags], { place });
    expect(code).toBe(0);
    expect(stderr).toMatch(note);
    expect(stderr).not.toMatch(/no effect/);
  });
});

/** A plugin with a command and a server. */
function kit({ root }: Place, name: string): string {
  const folder = join(root, name);
  put(join(folder, '.claude-plugin', 'plugin.json'), JSON.stringify({ name }));
  put(join(folder, 'commands', 'hello.md'), 'Say hello.');
  put(
    join(folder, '.mcp.json'),
    JSON.stringify({ mcpServers: { page: { command: process.execPath, args: [SERVER] } } }),
  );
  return folder;
}

type Cli = ReturnType<typeof startCli>;

async function answerOf(cli: Cli, body: object): Promise<Record<string, unknown>> {
  const { response } = await cli.control({ subtype: 'initialize', ...body });
  return response as Record<string, unknown>;
}

function ended(cli: Cli): Cli['finished'] {
  cli.endInput();
  return cli.finished;
}

function namesIn(list: unknown): unknown[] {
  return (list as Line[]).map(({ name }) => name);
}
