import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { initOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { commitAll, stopHook } from './support.ts';

/** A repository with a marketplace, whose plugin writes a file when a turn ends. */
async function withShop() {
  const place = await makePlace(() => 'ok');
  const shop = join(place.root, 'shop');
  const fired = join(place.root, 'fired');
  const write = (command: string) => {
    const plugins = [{ name: 'kit', source: './kit', version: '1.0.0', description: 'Knits' }];
    put(join(shop, '.claude-plugin/marketplace.json'), { name: 'shop', owner: { name: 'me' }, plugins });
    put(join(shop, 'kit/commands/hello.md'), '---\ndescription: Hi\n---\nHello');
    put(join(shop, 'kit/hooks/hooks.json'), stopHook(command));
    return commitAll(shop);
  };
  write(`echo one >> ${fired}`);
  return { place, shop, fired, write, plugin: (...args: string[]) => runCli(['plugin', ...args], { place }) };
}

const hooksOf = async (place: Place) => initOf((await runCli([...STREAM_OUT, 'hi'], { place })).lines);

describe('[G10] heddle plugin', () => {
  test('installs what was shown and accepted; an update with another hook waits until exactly that content is accepted', async () => {
    const { place, shop, fired, write, plugin } = await withShop();
    expect(await plugin('marketplace', 'add', `file://${shop}`)).toMatchObject({
      code: 0,
      stdout: 'Added the marketplace shop: 1 plugin\n',
    });
    const refused = await plugin('install', 'kit');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining(`Stop: echo one >> ${fired}`) });
    expect(refused.stderr).toContain('--yes accepts what acts');
    expect(existsSync(join(place.home, 'plugins/cache'))).toBe(false);
    expect(await plugin('install', '--yes', 'kit')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Installed kit@shop 1.0.0'),
    });
    expect(await hooksOf(place)).toMatchObject({ plugins: [{ name: 'kit', source: 'kit@shop' }] });
    expect(readFileSync(fired, 'utf8')).toBe('one\n');

    write(`echo two >> ${fired}`);
    expect((await plugin('outdated', '--json')).stdout).toContain('"mustAccept": true');
    const asked = await plugin('update', 'kit');
    expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining(`Stop: echo two >> ${fired}`) });
    await hooksOf(place);
    expect(readFileSync(fired, 'utf8')).toBe('one\none\n');
    expect(await plugin('update', 'kit', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("unknown option '--yes'"),
    });
    expect(await plugin('update', 'kit', '--accept', 'sha256-x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing was changed'),
    });
    const [hash = ''] = /--accept (sha256-\S+)/.exec(asked.stderr)?.slice(1) ?? [];
    expect(await plugin('update', 'kit', '--accept', hash)).toMatchObject({ code: 0 });
    await hooksOf(place);
    expect(readFileSync(fired, 'utf8')).toBe('one\none\ntwo\n');
  }, 60_000);

  test('accept lets a plugin act that another program has installed', async () => {
    const { place, shop, fired, plugin } = await withShop();
    const installPath = join(shop, 'kit');
    put(join(place.home, 'plugins/installed_plugins.json'), {
      version: 2,
      plugins: { 'kit@shop': [{ scope: 'user', installPath, version: '1.0.0' }] },
    });
    put(join(place.home, 'settings.json'), { enabledPlugins: { 'kit@shop': true } });
    expect(await hooksOf(place)).toMatchObject({ plugin_errors: [{ type: 'not-accepted' }] });
    expect((await plugin('list')).stdout).toContain('only its texts act (heddle plugin accept)');
    expect(existsSync(fired)).toBe(false);
    const doctor = JSON.parse((await runCli(['doctor', '--json'], { place })).stdout) as { checks: { id: string }[] };
    expect(doctor.checks.find(({ id }) => id === 'plugins.kit@shop')).toMatchObject({
      status: 'warning',
      next: 'heddle plugin accept kit@shop',
    });
    expect(await plugin('accept', 'kit@shop')).toMatchObject({ code: 1, stdout: expect.stringContaining('echo one') });
    expect(await plugin('accept', '--yes', 'kit@shop')).toMatchObject({ code: 0 });
    expect(await hooksOf(place)).not.toHaveProperty('plugin_errors');
    expect(existsSync(fired)).toBe(true);
  }, 30_000);

  test('--json: one line for each outcome, also of an error', async () => {
    const { place, shop, plugin } = await withShop();
    await plugin('marketplace', 'add', shop);
    const line = async (...args: string[]) => JSON.parse((await plugin(...args, '--json')).stdout) as unknown;
    const about = { outcome: 'ok', plugin: 'kit', pluginId: 'kit@shop', scope: 'user', message: expect.any(String) };
    expect(await line('install', '--yes', 'kit')).toEqual({ command: 'install', ...about, version: '1.0.0' });
    expect(await line('disable', 'kit')).toEqual({ command: 'disable', ...about });
    expect(await line('list')).toMatchObject([{ id: 'kit@shop', enabled: false, state: 'accepted' }]);
    expect(await line('enable', 'kit')).toEqual({ command: 'enable', ...about });
    expect(await line('uninstall', 'kit')).toEqual({ command: 'uninstall', ...about, keptData: true });
    expect(await line('list', '--available')).toMatchObject({
      installed: [],
      available: [{ pluginId: 'kit@shop', description: 'Knits' }],
    });
    expect(await line('uninstall', 'kit')).toEqual({
      command: 'uninstall',
      outcome: 'failed',
      plugin: 'kit',
      message: expect.stringContaining('kit is not installed here'),
    });
    put(join(place.home, 'plugins/installed_plugins.json'), '{');
    expect((await plugin('list')).stderr).toContain('Repair it, or move it away');
  }, 30_000);

  test('validate tells authors what is wrong, and what acts', async () => {
    const { shop, plugin } = await withShop();
    put(join(shop, 'kit/.claude-plugin/plugin.json'), { name: 'Kit_1', commands: '../out', wrong: 1 });
    const found = JSON.parse((await plugin('validate', '--json', join(shop, 'kit'))).stdout) as Record<string, unknown>;
    expect(found).toMatchObject({
      success: true,
      manifest: {
        type: 'plugin',
        errors: [],
        warnings: [expect.stringContaining('kebab-case'), 'wrong is no key of a manifest, and is ignored'],
      },
      contents: [
        {
          warnings: [expect.stringContaining('../out leads out of the plugin')],
          acts: { hooks: [expect.any(String)] },
        },
      ],
    });
    expect(await plugin('validate', '--strict', shop)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('../out leads out'),
    });
    put(join(shop, '.claude-plugin/marketplace.json'), { name: 'a b', plugins: [] });
    expect(await plugin('validate', shop)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("'a b' is no name for a marketplace"),
    });
  }, 30_000);
});

describe('heddle plugin sync', () => {
  test('installs what the project enables; --frozen only what its lock file says', async () => {
    const { place, shop, fired, write, plugin } = await withShop();
    await plugin('marketplace', 'add', `file://${shop}`);
    expect(await plugin('install', '--yes', '-s', 'project', 'kit')).toMatchObject({ code: 0 });
    const settings = JSON.parse(readFileSync(join(place.cwd, '.claude/settings.json'), 'utf8')) as object;
    const source = { source: 'git', url: `file://${shop}` };
    put(join(place.cwd, '.claude/settings.json'), { ...settings, extraKnownMarketplaces: { shop: { source } } });

    const another = { ...place, env: { ...place.env, HEDDLE_HOME: join(place.root, 'home2') } };
    const there = (...args: string[]) => runCli(['plugin', ...args], { place: another });
    expect(await there('sync')).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes adds') });
    expect(await there('sync', '--frozen')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Installed kit@shop (scope project)'),
    });
    expect(await there('sync', '--frozen')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All of the project'),
    });

    write(`echo evil >> ${fired}`);
    const third = { ...place, env: { ...place.env, HEDDLE_HOME: join(place.root, 'home3') } };
    const frozen = await runCli(['plugin', 'sync', '--frozen'], { place: third });
    expect(frozen).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the lock file of the project says sha256-'),
    });
    expect(existsSync(join(place.root, 'home3/plugins/installed_plugins.json'))).toBe(false);
  }, 60_000);
});
