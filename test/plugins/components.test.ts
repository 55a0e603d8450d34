import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { command, settingsWith } from '../hooks/support.ts';
import { type Client, createHouse, lastTexts, tempDir } from '../host/support.ts';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';

/** As a plugin writes it. */
const reference = (name: string) => `$\{${name}}`;

const initOf = (client: Client) => client.of('system/init').at(-1) as Record<string, unknown>;

test('programs of bin/ are on the PATH of commands, behind all others', async () => {
  const house = createHouse([toolUse('Bash', { command: 'hello-of-kit; ls' }), 'ok']);
  const kit = join(tempDir(), 'kit');
  for (const [name, text] of [
    ['hello-of-kit', 'echo from the kit'],
    ['ls', 'echo replaced'],
  ] as const) {
    chmodSync(put(join(kit, 'bin', name), `#!/bin/sh\n${text}\n`), 0o755);
  }
  put(join(house.dir, 'here.txt'), 'x');
  const client = house.connect({ pluginDir: [kit], allowedTools: ['Bash'] });
  await client.ask('1');
  const said = JSON.stringify(house.model.requests[1]);
  expect(said).toContain('from the kit');
  expect(said).toContain('here.txt');
  expect(said).not.toContain('replaced');
});

describe('values of the user', () => {
  const manifest = {
    name: 'kit',
    userConfig: {
      url: { type: 'string', title: 'Address', required: true },
      size: { type: 'number', default: 3 },
      token: { type: 'string', sensitive: true },
    },
  };

  function withKit() {
    const house = createHouse(['one', 'two']);
    const kit = join(tempDir(), 'kit');
    const out = join(tempDir(), 'out');
    put(join(kit, '.claude-plugin/plugin.json'), manifest);
    const env = `echo "$CLAUDE_PLUGIN_OPTION_url $CLAUDE_PLUGIN_OPTION_SIZE $CLAUDE_PLUGIN_OPTION_TOKEN $CLAUDE_PLUGIN_DATA" > ${out}`;
    const unsafe = `touch ${out}.unsafe \${user_config.url}`;
    put(join(kit, 'hooks/hooks.json'), settingsWith({ Stop: [command(env)], SessionEnd: [command(unsafe)] }));
    put(
      join(kit, 'commands/show.md'),
      `At ${reference('user_config.url')} with ${reference('user_config.token')} in ${reference('CLAUDE_PLUGIN_DATA')}`,
    );
    const home = join(house.dir, '../.heddle');
    return { house, kit, out, home, data: join(home, 'plugins/data/kit-inline') };
  }

  test('reach texts, hooks by their environment, and never a line for a shell; secrets reach no text', async () => {
    const { house, kit, out, home, data } = withKit();
    put(join(home, 'settings.json'), { pluginConfigs: { 'kit@inline': { options: { url: 'https://a; rm -rf /' } } } });
    put(join(home, 'plugins/heddle-secrets.json'), { 'kit@inline': { token: 'hush' } });
    const client = house.connect({ pluginDir: [kit] });
    await client.ask('/kit:show');
    expect(lastTexts(house.model.requests[0]).join()).toContain(
      `At https://a; rm -rf / with \${user_config.token} in ${data}`,
    );
    expect(readFileSync(out, 'utf8')).toBe(`https://a; rm -rf / 3 hush ${data}\n`);
    expect(statSync(data).isDirectory()).toBe(true);
    expect(existsSync(`${out}.unsafe`)).toBe(false);
    expect(house.logs.map(({ message }) => message).join()).toContain('a hook of SessionEnd was left out');
  });

  test('that are required and missing are said, to the host, too; a project cannot set them', async () => {
    const { house, kit } = withKit();
    put(join(kit, '.mcp.json'), {
      far: { command: 'echo', args: [reference('user_config.url')] },
      near: { command: 'false' },
    });
    put(join(house.dir, '.claude/settings.json'), { pluginConfigs: { 'kit@inline': { options: { url: 'x' } } } });
    const client = house.connect({ pluginDir: [kit], trust: true });
    await client.ask('1');
    expect(initOf(client)).toMatchObject({
      plugin_errors: [{ type: 'needs-values', message: expect.stringContaining('url=…') }],
      mcp_servers: [{ name: 'plugin:kit:near' }],
    });
  });

  test('are set with heddle plugin configure and install --config, secrets apart and for the user alone', async () => {
    const place = await makePlace();
    const shop = join(place.root, 'shop');
    put(join(shop, '.claude-plugin/marketplace.json'), { name: 'shop', plugins: [{ name: 'kit', source: './kit' }] });
    put(join(shop, 'kit/.claude-plugin/plugin.json'), manifest);
    const plugin = (args: string[], stdin?: string) =>
      runCli(['plugin', ...args], { place, ...(stdin !== undefined && { stdin }) });
    await plugin(['marketplace', 'add', shop]);
    expect(await plugin(['install', '--yes', '--config', 'wrong=1', 'kit'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not ask for wrong'),
    });
    expect(existsSync(join(place.home, 'plugins/installed_plugins.json'))).toBe(false);
    expect(await plugin(['install', '--yes', '--config', 'url=https://a', 'kit'])).toMatchObject({ code: 0 });
    expect(await plugin(['configure', 'kit', 'size=x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('size must be a number'),
    });
    expect(await plugin(['configure', 'kit', 'size=4', 'token=-'], 'hush\n')).toMatchObject({ code: 0 });
    expect((await plugin(['configure', 'kit'])).stdout).toBe(
      'url: Address (set)\nsize: size (set)\ntoken: token (set)\n',
    );
    expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toMatchObject({
      pluginConfigs: { 'kit@shop': { options: { url: 'https://a', size: 4 } } },
    });
    const secrets = join(place.home, 'plugins/heddle-secrets.json');
    expect(JSON.parse(readFileSync(secrets, 'utf8'))).toEqual({ 'kit@shop': { token: 'hush' } });
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
  }, 30_000);
});
