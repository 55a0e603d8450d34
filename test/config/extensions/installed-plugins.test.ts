import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPlugin } from '../../../src/config/extensions/installed-plugins.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { put } from '../../support/put.ts';
import { tempDir } from '../support.ts';

/** A config home with what was installed, and a directory with a marketplace. */
function createRig() {
  const base = tempDir();
  const home = join(base, 'home');
  const cwd = join(base, 'project');
  const plugins = join(home, 'plugins');
  const cached = (version: string) => {
    const folder = join(plugins, 'cache/shop/kit', version);
    put(join(folder, '.claude-plugin/plugin.json'), '{"name":"kit"}');
    return folder;
  };
  return {
    base,
    cwd,
    cached,
    installed: (records: unknown) =>
      put(join(plugins, 'installed_plugins.json'), JSON.stringify({ plugins: { 'kit@shop': records } })),
    known: (marketplaces: JsonObject) => put(join(plugins, 'known_marketplaces.json'), JSON.stringify(marketplaces)),
    catalog(plugin: JsonObject, more: JsonObject = {}) {
      const file = join(base, 'shop/.claude-plugin/marketplace.json');
      put(file, JSON.stringify({ name: 'shop', plugins: [{ name: 'kit', ...plugin }], ...more }));
      return file;
    },
    find: (id = 'kit@shop', marketplaces: JsonObject = {}) =>
      findPlugin(id, { cwd, configHome: home, userHome: base, marketplaces }),
  };
}

describe('an installed plugin', () => {
  test.each(['one record', 'a list'])('is where installed_plugins.json says, as %s', (form) => {
    const rig = createRig();
    const record = { scope: 'user', version: '1.0.0', installPath: rig.cached('1.0.0') };
    rig.installed(form === 'a list' ? [record] : record);
    expect(rig.find()).toEqual({ id: 'kit@shop', folder: record.installPath, version: '1.0.0', entry: null });
  });

  test('of this project goes before that of the user, and that of another project does not count', () => {
    const rig = createRig();
    const record = (version: string, projectPath?: string) => ({
      installPath: rig.cached(version),
      ...(projectPath && { projectPath }),
    });
    rig.installed([record('1'), record('2', rig.cwd), record('3', '/elsewhere')]);
    expect(rig.find().folder).toMatch(/\/2$/);
    rig.installed([record('3', '/elsewhere')]);
    expect(() => rig.find()).toThrow('it is not installed here, and nothing is fetched from the network');
  });

  test('is found in the cache of a home that was moved', () => {
    const rig = createRig();
    const folder = rig.cached('1.0.0');
    rig.installed([{ version: '1.0.0', installPath: '/was/here/kit' }]);
    expect(rig.find().folder).toBe(folder);
  });

  test.each([
    ['kit', 'it must be named as plugin@marketplace'],
    ['@shop', 'it must be named as plugin@marketplace'],
    ['other@shop', 'it is not installed here'],
  ])('%s: %s', (id, problem) => {
    expect(() => createRig().find(id)).toThrow(problem);
  });

  test('a register that cannot be read is named', () => {
    const rig = createRig();
    put(join(rig.base, 'home/plugins/installed_plugins.json'), '{');
    expect(() => rig.find()).toThrow(/installed_plugins\.json: /);
  });
});

describe('the entry of its marketplace', () => {
  test('comes along with an installed plugin, from the copy of a marketplace of elsewhere', () => {
    const rig = createRig();
    rig.installed([{ scope: 'user', version: '1.0.0', installPath: rig.cached('1.0.0') }]);
    rig.catalog({ source: './kit', strict: false, skills: ['./skills/a'] });
    const location = { installLocation: join(rig.base, 'shop') };
    rig.known({ shop: { source: { source: 'github', repo: 'a/b' }, ...location } });
    expect(rig.find()).toMatchObject({ version: '1.0.0', entry: { strict: false, skills: ['./skills/a'] } });
    rig.known({ shop: { source: { source: 'github', repo: 'a/b' }, installLocation: '/gone' } });
    expect(rig.find()).toMatchObject({ version: '1.0.0', entry: null });
  });

  test('a marketplace in a directory is read there, although a copy was installed', () => {
    const rig = createRig();
    rig.installed([{ scope: 'user', version: '1.0.0', installPath: rig.cached('1.0.0') }]);
    rig.catalog({ source: './kit' });
    put(join(rig.base, 'shop/kit/commands/x.md'), 'x');
    rig.known({ shop: { source: { source: 'directory', path: join(rig.base, 'shop') } } });
    expect(rig.find().folder).toBe(join(rig.base, 'shop/kit'));
  });
});

describe('a marketplace in a directory', () => {
  const directory = (path: string) => ({ shop: { source: { source: 'directory', path } } });

  test.each(['settings', 'known_marketplaces.json'])('lists plugins, known from %s', (where) => {
    const rig = createRig();
    rig.catalog({ source: './plugins/kit', description: 'Knits' });
    put(join(rig.base, 'shop/plugins/kit/commands/x.md'), 'x');
    const marketplaces = directory(join(rig.base, 'shop'));
    if (where !== 'settings') rig.known(marketplaces);
    expect(rig.find('kit@shop', where === 'settings' ? marketplaces : {})).toEqual({
      id: 'kit@shop',
      folder: join(rig.base, 'shop/plugins/kit'),
      entry: { name: 'kit', source: './plugins/kit', description: 'Knits' },
    });
  });

  test('may be named by its file, from the home, and have a folder for all', () => {
    const rig = createRig();
    const path = rig.catalog({ source: 'kit' }, { metadata: { pluginRoot: './plugins' } });
    put(join(rig.base, 'shop/plugins/kit/commands/x.md'), 'x');
    const folder = join(rig.base, 'shop/plugins/kit');
    expect(rig.find('kit@shop', { shop: { source: { source: 'file', path } } }).folder).toBe(folder);
    expect(rig.find('kit@shop', directory('~/shop')).folder).toBe(folder);
  });

  test.each([
    [{ source: '../kit' }, 'leads out of the marketplace'],
    [{ source: './gone' }, 'there is no ./gone'],
    [{ name: 'other' }, 'does not list it'],
    [{ source: { source: 'github', repo: 'a/b' } }, 'nothing is fetched from the network'],
  ])('%j: %s', (plugin, problem) => {
    const rig = createRig();
    rig.catalog(plugin);
    expect(() => rig.find('kit@shop', directory(join(rig.base, 'shop')))).toThrow(problem);
  });

  test('that lies elsewhere is not fetched', () => {
    const rig = createRig();
    rig.known({ shop: { source: { source: 'github', repo: 'a/b' }, installLocation: '/nowhere' } });
    expect(() => rig.find()).toThrow('nothing is fetched from the network');
  });
});
