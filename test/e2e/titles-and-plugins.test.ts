import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, fail, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { ask } from '../support/extensions.ts';
import { initOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { put } from '../support/put.ts';
import { bodyOf } from '../support/requests.ts';

const isSmall = (request: FakeApiRequest) => bodyOf(request).model.includes('haiku');

describe('generate_session_title', () => {
  test('a small model makes it; persist gives it to the session, once', async () => {
    const place = await makePlace((request) => (isSmall(request) ? '"Parser rewrite."' : 'ok'));
    const cli = startCli(STREAM_BOTH, { place });
    const asked = { subtype: 'generate_session_title', description: 'rewrite the parser, please' };
    expect(await cli.control(asked)).toMatchObject({ response: { title: 'Parser rewrite' } });
    const session = initOf(await ask(cli, 'hi')).session_id as string;
    expect(await titleOf(place, session)).toBeUndefined();
    await cli.control({ ...asked, persist: true });
    expect(await titleOf(place, session)).toBe('Parser rewrite');
    await cli.control({ subtype: 'rename_session', title: 'My own' });
    await cli.control({ ...asked, persist: true });
    expect(await titleOf(place, session)).toBe('My own');
    const [request] = place.api.requests.filter(isSmall);
    expect(JSON.stringify(bodyOf(request).messages)).toContain('rewrite the parser, please');
    expect(bodyOf(request).tools ?? []).toEqual([]);
  });

  test('a resumed session keeps its title, and one without messages gets it with the first', async () => {
    const place = await makePlace((request) => (isSmall(request) ? 'Weaving' : 'ok'));
    const cli = startCli(STREAM_BOTH, { place });
    await cli.control({ subtype: 'generate_session_title', description: 'weave', persist: true });
    const session = initOf(await ask(cli, 'hi')).session_id as string;
    cli.endInput();
    await cli.finished;
    expect(await titleOf(place, session)).toBe('Weaving');
    const resumed = startCli([...STREAM_BOTH, '--resume', session], { place });
    place.api.requests.length = 0;
    await resumed.control({ subtype: 'generate_session_title', description: 'knit', persist: true });
    expect(await titleOf(place, session)).toBe('Weaving');
  });

  test('null when no model can be asked; an error when there is nothing to go by', async () => {
    const place = await makePlace(() => fail(400, 'invalid_request_error', 'no'));
    const cli = startCli(STREAM_BOTH, { place });
    const asked = { subtype: 'generate_session_title', description: 'x' };
    expect(await cli.control(asked)).toMatchObject({ response: { title: null } });
    expect(await cli.control({ ...asked, description: ' ' })).toMatchObject({ error_code: 'invalid_request' });
  });

  test('rename_session refuses another session than this', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli(STREAM_BOTH, { place });
    const session = initOf(await ask(cli, 'hi')).session_id as string;
    const rename = { subtype: 'rename_session', title: 'T' };
    expect(await cli.control({ ...rename, session_id: 'other' })).toMatchObject({ subtype: 'error' });
    expect(await titleOf(place, session)).toBeUndefined();
    expect(await cli.control({ ...rename, session_id: session })).toMatchObject({ subtype: 'success' });
    expect(await titleOf(place, session)).toBe('T');
  });
});

describe('[B-170] reload_plugins', () => {
  test('add_plugins loads more, as --plugin-dir would', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli(STREAM_BOTH, { place });
    await ask(cli, 'hi');
    const add_plugins = [{ type: 'local', path: kit(place, 'kit') }];
    const { response } = await cli.control({ subtype: 'reload_plugins', add_plugins });
    expect(response).toMatchObject({ plugins: [{ name: 'kit' }], error_count: 0 });
    expect(response).not.toHaveProperty('held');
    expect(initOf(await ask(cli, 'on')).slash_commands).toContain('kit:hello');
    const relative = { subtype: 'reload_plugins', add_plugins: [{ type: 'local', path: 'kit' }] };
    expect(await cli.control(relative)).toMatchObject({ error_code: 'invalid_request' });
  });

  test('hold_on_cache_impact: servers that would come or go are told, and nothing is read', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli(STREAM_BOTH, { place });
    await ask(cli, 'hi');
    const server = join(import.meta.dirname, '../support/page-mcp-server.mjs');
    const withServer = kit(place, 'kit');
    put(join(withServer, '.mcp.json'), JSON.stringify({ page: { command: process.execPath, args: [server] } }));
    const request = { subtype: 'reload_plugins', hold_on_cache_impact: true };
    const held = await cli.control({ ...request, add_plugins: [{ type: 'local', path: withServer }] });
    expect(held.response).toMatchObject({
      held: true,
      plugins: [],
      cache_impact: { mcp_servers_added: ['plugin:kit:page'], mcp_servers_removed: [], lsp_tool_change: null },
    });
    const applied = await cli.control({ ...request, add_plugins: [{ type: 'local', path: kit(place, 'plain') }] });
    expect(applied.response).toMatchObject({ held: false, plugins: [{ name: 'plain' }] });
  });

  test('refuse_if_busy: not during a turn', async () => {
    const place = await makePlace([toolUse('Bash', { command: 'touch began; sleep 600' }), 'ok']);
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    cli.say('go');
    await eventually(() => existsSync(join(place.cwd, 'began')));
    const request = { subtype: 'reload_plugins', refuse_if_busy: true };
    expect(await cli.control(request)).toMatchObject({ subtype: 'error', error_code: 'reload_plugins_busy' });
    await cli.control({ subtype: 'interrupt' });
    await cli.nextResult();
    expect(await cli.control(request)).toMatchObject({ subtype: 'success' });
  });

  test('the options of the SDK reach it', async () => {
    const place = await makePlace(() => 'ok');
    const run = sdk.query({ prompt: waiting(), options: { cwd: place.cwd, env: place.env } });
    const addPlugins = [{ type: 'local' as const, path: kit(place, 'kit') }];
    const reloaded = await run.reloadPlugins({ addPlugins, holdOnCacheImpact: true, refuseIfBusy: true });
    expect(reloaded).toMatchObject({ held: false, plugins: [{ name: 'kit' }] });
    await run.close();
  });
});

describe('plugins of the SDK', () => {
  test.each(['argv', 'initialize'] as const)('by %s, with and without their servers', async (pluginDelivery) => {
    const place = await makePlace(() => 'ok');
    const plugins = [
      { type: 'local' as const, path: kit(place, 'one') },
      { type: 'local' as const, path: kit(place, 'two'), skipMcpDiscovery: true },
    ];
    const options = { cwd: place.cwd, env: place.env, plugins, pluginDelivery };
    const run = sdk.query({ prompt: 'hi', options });
    expect((await run.initializationResult()).plugins_applied).toBe(pluginDelivery === 'initialize' ? true : undefined);
    for await (const message of run) {
      if (message.type !== 'system' || message.subtype !== 'init') continue;
      expect(message.plugins.map(({ name }) => name)).toEqual(['one', 'two']);
    }
  });
});

test('[K38] none of these ends the process', async () => {
  const place = await makePlace(() => 'ok');
  const flags = [`--plugin-dir-no-mcp=${kit(place, 'kit')}`, '--await-initialize'];
  expect((await runCli([...STREAM_OUT, 'hi', ...flags.slice(0, 1)], { place })).code).toBe(0);
  expect((await runCli([...STREAM_BOTH, ...flags], { place })).code).toBe(0);
});

function kit({ root }: Place, name: string): string {
  const folder = join(root, name);
  put(join(folder, '.claude-plugin', 'plugin.json'), JSON.stringify({ name }));
  put(join(folder, 'commands', 'hello.md'), 'Say hello.');
  return folder;
}

async function titleOf({ home }: Place, session: string): Promise<string | undefined> {
  return (await sdk.getSessionInfo(session, { home }))?.customTitle;
}

async function* waiting(): AsyncGenerator<never> {
  await new Promise(() => {});
}
