import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installPlugin, installSteps } from '../../src/plugins/install-plugin.ts';
import { listInstalled, pluginAsRead } from '../../src/plugins/installed-list.ts';
import { knownMarketplace, updateMarketplace } from '../../src/plugins/marketplaces.ts';
import { type PluginHome, replaceFolder, whileAlone } from '../../src/plugins/plugin-home.ts';
import { linesFor, lockFile, readLock, standingOf } from '../../src/plugins/plugin-lock.ts';
import { thisProcess } from '../../src/util/process/process-alive.ts';
import { CLI, runCli, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { commitAll, createRig, type Rig, stopHook } from './support.ts';

/** What a session would do: the text of the hook that acts; null where nothing is installed or only texts act. */
function acting(home: PluginHome): string | null {
  try {
    const { folder } = pluginAsRead(home, 'kit@shop');
    const { line } = standingOf(folder, linesFor(readLock(lockFile(home.configHome)).get('kit@shop'), home.cwd));
    return line?.acts.hooks[0] ?? 'only texts';
  } catch {
    return null;
  }
}

/** A marketplace whose plugin has version 1, and then 2. */
async function withNext(): Promise<{ rig: Rig; next: Awaited<ReturnType<Rig['prepare']>> }> {
  const rig = createRig();
  const root = rig.shop({ 'hooks/hooks.json': stopHook('echo 1') }, { version: '1.0.0' });
  commitAll(root);
  const source = { source: 'git', url: `file://${root}` };
  const first = await rig.prepare(source);
  await installPlugin(rig.store, first);
  rig.shop({ 'hooks/hooks.json': stopHook('echo 2') }, { version: '2.0.0' });
  commitAll(root);
  await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
  return { rig, next: await rig.prepare(source) };
}

describe('an installer that ends between two steps', () => {
  const steps = 7;

  test.each(Array.from({ length: steps + 1 }, (_, at) => at))(
    'update, after %i steps: the old content acts, or the new one',
    async (done) => {
      const { rig, next } = await withNext();
      expect(acting(rig.home)).toBe('Stop: echo 1');
      const all = installSteps(rig.store, next);
      expect(all).toHaveLength(steps);
      for (const step of all.slice(0, done)) await step();
      expect(acting(rig.home)).toBe(done < 3 ? 'Stop: echo 1' : 'Stop: echo 2');
      expect(await rig.install().then(() => acting(rig.home))).toBe('Stop: echo 2');
      expect(listInstalled(rig.home)).toMatchObject([{ version: '2.0.0', enabled: true, state: 'accepted' }]);
    },
  );

  test.each(Array.from({ length: steps + 1 }, (_, at) => at))(
    'installation, after %i steps: nothing, or all',
    async (done) => {
      const rig = createRig();
      commitAll(rig.shop({ 'hooks/hooks.json': stopHook('echo 1') }, { version: '1.0.0' }));
      const prepared = await rig.prepare({ source: 'git', url: `file://${join(rig.base, 'shop')}` });
      for (const step of installSteps(rig.store, prepared).slice(0, done)) await step();
      expect(acting(rig.home)).toBe(done < 3 ? null : 'Stop: echo 1');
      const [row] = listInstalled(rig.home);
      expect(row?.enabled ?? false).toBe(done >= 4);
      await rig.install();
      expect(listInstalled(rig.home)).toMatchObject([{ enabled: true, state: 'accepted' }]);
    },
  );

  test('a marketplace that was put aside returns', async () => {
    const { rig } = await withNext();
    const folder = join(rig.home.configHome, 'plugins/marketplaces/shop');
    const from = join(rig.base, 'gone');
    expect(() => replaceFolder(rig.home, { from, to: folder, name: 'shop' })).toThrow('ENOENT');
    expect(existsSync(folder)).toBe(false);
    await whileAlone(rig.home, async () => {});
    expect(existsSync(join(folder, '.claude-plugin/marketplace.json'))).toBe(true);
  });
});

/** A repository with a marketplace of several plugins. */
async function withShop(count: number): Promise<{ place: Place; shop: string }> {
  const place = await makePlace();
  const shop = join(place.root, 'shop');
  const names = Array.from({ length: count }, (_, at) => `kit-${at}`);
  put(join(shop, '.claude-plugin/marketplace.json'), {
    name: 'shop',
    plugins: names.map((name) => ({ name, source: `./${name}` })),
  });
  for (const name of names) put(join(shop, name, 'hooks/hooks.json'), stopHook(`echo ${name}`));
  commitAll(shop);
  expect(await runCli(['plugin', 'marketplace', 'add', `file://${shop}`], { place })).toMatchObject({ code: 0 });
  return { place, shop };
}

const homeOf = ({ home, cwd, root }: Place): PluginHome => ({ configHome: home, cwd, userHome: root, now: Date.now });

test('kill -9 at any moment leaves files that are whole, and the next installation succeeds', async () => {
  const { place } = await withShop(1);
  const began = Date.now();
  await runCli(['plugin', 'install', '--yes', 'kit-0'], { place });
  const whole = Date.now() - began;
  await runCli(['plugin', 'uninstall', 'kit-0'], { place });
  const seen = new Set<string>();
  for (let at = 1; at <= KILLS; at++) {
    const child = spawn(process.execPath, [CLI, 'plugin', 'install', '--yes', 'kit-0'], {
      cwd: place.cwd,
      env: place.env,
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), whole * (0.3 + (0.8 * at) / KILLS));
    await once(child, 'close');
    clearTimeout(timer);
    const [row] = listInstalled(homeOf(place));
    if (row) expect(row).toMatchObject({ id: 'kit-0@shop', state: 'accepted' });
    seen.add(row ? (row.enabled ? 'installed' : 'not enabled') : 'nothing');
    if (row) await runCli(['plugin', 'uninstall', 'kit-0'], { place });
  }
  expect([...seen]).toContain('nothing');
  expect(await runCli(['plugin', 'install', '--yes', 'kit-0'], { place })).toMatchObject({ code: 0 });
  expect(listInstalled(homeOf(place))).toMatchObject([{ enabled: true, state: 'accepted' }]);
}, 120_000);

const KILLS = 12;

test('several installations at once all succeed, and lose no record of another', async () => {
  const count = 6;
  const { place } = await withShop(count);
  const runs = Array.from({ length: count }, (_, at) =>
    startCli(['plugin', 'install', '--yes', `kit-${at}`], { place }),
  );
  for (const run of runs) expect(await run.finished).toMatchObject({ code: 0 });
  const rows = listInstalled(homeOf(place));
  expect(rows.map(({ id }) => id).sort()).toEqual(Array.from({ length: count }, (_, at) => `kit-${at}@shop`));
  expect(rows.every(({ enabled, state }) => enabled && state === 'accepted')).toBe(true);
  expect(readdirSync(join(place.home, 'plugins/.heddle-staging'))).toEqual([]);
}, 60_000);

test('an installer that has to wait too long names the one that it waits for', async () => {
  const { home } = createRig();
  const lock = join(home.configHome, 'plugins/heddle-install.lock');
  put(lock, JSON.stringify({ id: 'abc', ...thisProcess() }));
  await expect(whileAlone(home, async () => 1, 200)).rejects.toThrow(
    `The process ${process.pid} is installing plugins`,
  );
  writeFileSync(lock, JSON.stringify({ id: 'abc', ...thisProcess(), pid: 2 ** 22 - 3 }));
  expect(await whileAlone(home, async () => 1, 2000)).toBe(1);
});
