import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { integrityOf } from '../../src/plugins/integrity.ts';
import { typedSource } from '../../src/plugins/marketplace-source.ts';
import { addMarketplace } from '../../src/plugins/marketplaces.ts';
import { unpack } from '../../src/plugins/sources/unpack.ts';
import { put } from '../support/put.ts';
import { type MadeFile, paxHeader, tar, zip } from './archives.ts';
import { commitAll, createRig, git, type Rig, treeOf } from './support.ts';

const plain: MadeFile = { path: 'commands/a.md', data: 'A' };
const many = (count: number): MadeFile[] => Array.from({ length: count }, (_, at) => ({ path: `f${at}`, method: 0 }));
const zeros = Buffer.alloc(60 * 1024 * 1024);

/** Each with a word of the reason. */
const ARCHIVES: readonly [name: string, archive: () => Buffer, why: RegExp][] = [
  ['zip: a path upwards', () => zip([{ path: '../evil' }]), /'\.\.' in a path/],
  ['zip: a path upwards in the middle', () => zip([{ path: 'a/../../evil' }]), /'\.\.' in a path/],
  ['zip: an absolute path', () => zip([{ path: '/tmp/evil' }]), /absolute/],
  ['zip: a drive', () => zip([{ path: 'c:/evil' }]), /absolute/],
  ['zip: backslashes', () => zip([{ path: '..\\evil' }]), /backslash/],
  ['zip: an empty part', () => zip([{ path: 'a//b' }]), /no '' in a path/],
  ['zip: a dot', () => zip([{ path: 'a/./b' }]), /no '\.' in a path/],
  ['zip: no name', () => zip([{ path: '' }]), /no '' in a path/],
  ['zip: a zero byte', () => zip([{ path: 'a\0b' }]), /invisible/],
  ['zip: a line feed', () => zip([{ path: 'a\nb' }]), /invisible/],
  ['zip: an escape sequence', () => zip([{ path: '\x1b[2Ja' }]), /invisible/],
  ['zip: a name that reads backwards', () => zip([{ path: 'a\u202egpj.sh' }]), /invisible/],
  ['zip: a name that is not UTF-8', () => zip([{ path: Buffer.from([0x61, 0xff]) }]), /UTF-8/],
  ['zip: a link', () => zip([{ path: 'a', data: '/etc/passwd', mode: 0o120777 }]), /a link/],
  [
    'zip: a link, and a file through it',
    () => zip([{ path: 'a', data: '/tmp', mode: 0o120777 }, { path: 'a/x' }]),
    /a link/,
  ],
  ['zip: a pipe', () => zip([{ path: 'a', mode: 0o010644 }]), /neither a file nor a folder/],
  ['zip: a device', () => zip([{ path: 'a', mode: 0o020644 }]), /neither a file nor a folder/],
  ['zip: a file of .git', () => zip([{ path: '.git/config', data: '[core]' }]), /no \.git/],
  ['zip: another spelling of .git', () => zip([{ path: 'a/.GiT/hooks/x' }]), /no \.git/],
  ['zip: a short name of .git', () => zip([{ path: 'GIT~1/config' }]), /no \.git/],
  ['zip: .git with a hidden character', () => zip([{ path: '.g\u200cit/config' }]), /invisible/],
  ['zip: two names that differ in case', () => zip([{ path: 'Readme' }, { path: 'README' }]), /the same as/],
  ['zip: two folders that differ in case', () => zip([{ path: 'Hooks/a' }, { path: 'hooks/b' }]), /the same as/],
  ['zip: two forms of one letter', () => zip([{ path: 'caf\u00e9' }, { path: 'cafe\u0301' }]), /the same as/],
  ['zip: the same file twice', () => zip([plain, plain]), /twice/],
  ['zip: a file below a file', () => zip([{ path: 'a' }, { path: 'a/b' }]), /twice/],
  ['zip: a file that is a folder', () => zip([{ path: 'a/b' }, { path: 'a' }]), /twice/],
  ['zip: the name of a device', () => zip([{ path: 'hooks/con.md' }]), /device/],
  ['zip: a name that ends with a dot', () => zip([{ path: 'a./b' }]), /dot or a blank/],
  ['zip: a path without end', () => zip([{ path: `${'a/'.repeat(100)}b` }]), /too long/],
  ['zip: a name without end', () => zip([{ path: 'a'.repeat(300) }]), /too long/],
  ['zip: too many files', () => zip(many(10_001)), /10000 files/],
  ['zip: a bomb', () => zip([{ path: 'a', data: zeros }]), /50 MB/],
  [
    'zip: a bomb that claims to be small',
    () => zip([{ path: 'a', data: zeros, claims: 10 }]),
    /cannot be unpacked|damaged/,
  ],
  [
    'zip: files that share their content',
    () =>
      zip([
        { path: 'a', data: 'x' },
        { path: 'a', data: 'x', overlaps: true },
      ]),
    /lies in another file/,
  ],
  ['zip: another name in the header', () => zip([{ path: 'a', localPath: 'b' }]), /differs from the directory/],
  ['zip: a wrong checksum', () => zip([{ path: 'a', data: 'x', crc: 7 }]), /damaged/],
  ['zip: encrypted', () => zip([{ path: 'a', flags: 1 }]), /encrypted/],
  ['zip: an unknown method', () => zip([{ path: 'a', method: 14 }]), /not supported/],
  ['zip: a folder with content', () => zip([{ path: 'a/', data: 'x', mode: 0 }]), /folder with content/],
  ['zip: text after its end', () => zip([plain], { tail: 'x' }), /cut off/],
  ['zip: more files than it says', () => zip([plain, { path: 'b' }], { count: 1 }), /damaged/],
  ['zip: cut off', () => zip([plain]).subarray(0, 60), /cut off/],
  ['zip: empty', () => zip([]), /empty/],
  ['zip: a file of the cache', () => zip([{ path: '.in_use/1' }]), /belongs to the cache/],
  ['tar: a path upwards', () => tar([{ path: '../evil' }]), /'\.\.' in a path/],
  ['tar: an absolute path', () => tar([{ path: '/tmp/evil' }]), /absolute/],
  ['tar: a link', () => tar([{ path: 'a', type: '2', link: '/etc' }]), /a link/],
  ['tar: a hard link', () => tar([{ path: 'a', type: '1', link: '../../x' }]), /a link/],
  ['tar: a device', () => tar([{ path: 'a', type: '3' }]), /neither a file nor a folder/],
  ['tar: a pipe', () => tar([{ path: 'a', type: '6' }]), /neither a file nor a folder/],
  [
    'tar: a long name that leads upwards',
    () => tar([{ path: 'x', type: 'L', data: '../../evil\0' }, plain]),
    /'\.\.' in a path/,
  ],
  ['tar: an extended name that leads upwards', () => tar([paxHeader('../../evil'), plain]), /'\.\.' in a path/],
  ['tar: a size that is not there', () => tar([{ path: 'a', claims: 9_000_000 }], { isPlain: true }), /cut off/],
  ['tar: a wrong sum', () => tar([{ path: 'a', crc: 1 }]), /damaged/],
  ['tar: a bomb', () => tar([{ path: 'a', data: Buffer.alloc(110 * 1024 * 1024) }]), /cannot be unpacked/],
  ['tar: too many files', () => tar(many(10_001)), /10000 files/],
  ['neither', () => Buffer.from('#!/bin/sh\nrm -rf /\n'), /neither a zip nor a tar/],
  ['nothing', () => Buffer.alloc(0), /cannot be unpacked/],
];

/** Everything below the folder of the test, but for what was meant to be there. */
const escaped = ({ base }: Rig) =>
  readdirSync(base).filter((name) => !['home', 'project', 'shop', 'out', 'repo'].includes(name));

describe('hostile archives', () => {
  test.each(ARCHIVES)('%s', (_name, archive, why) => {
    const rig = createRig();
    const to = join(rig.base, 'out');
    expect(() => unpack(archive(), to, 'The archive')).toThrow(why);
    expect(escaped(rig)).toEqual([]);
    expect(existsSync('/tmp/evil')).toBe(false);
  });

  test('good ones are unpacked, with programs and long names', () => {
    const rig = createRig();
    const long = `${'deep/'.repeat(25)}a.md`;
    unpack(
      zip([plain, { path: 'bin/x', data: '#!', mode: 0o100755 }, { path: 'empty/', mode: 0o040755 }]),
      join(rig.base, 'out/zip'),
      'It',
    );
    unpack(
      tar([{ path: './', type: '5' }, paxHeader(long), { path: 'short', data: 'x' }, plain]),
      join(rig.base, 'out/tar'),
      'It',
    );
    expect(treeOf(join(rig.base, 'out'))).toEqual(
      [`tar/${long}`, 'tar/commands/a.md', 'zip/bin/x', 'zip/commands/a.md'].sort(),
    );
  });
});

describe('hostile repositories and folders', () => {
  const directory = (path: string) => ({ source: 'directory', path });
  const fromRepository = async (rig: Rig, build: (repo: string) => void) => {
    const repo = join(rig.base, 'repo');
    put(join(repo, 'commands/a.md'), 'A');
    build(repo);
    commitAll(repo);
    return rig.prepare(directory(rig.shop({}, { source: { source: 'url', url: `file://${repo}` } })));
  };

  test.each<[name: string, build: (repo: string) => void, why: RegExp]>([
    [
      'a link to a file of the machine',
      (repo) => symlinkSync('/etc/passwd', join(repo, 'commands/x.md')),
      /leads out of it/,
    ],
    ['a link to a folder of the machine', (repo) => symlinkSync('/etc', join(repo, 'skills')), /leads out of it/],
    ['a link to its own .git', (repo) => symlinkSync('.git', join(repo, 'skills')), /leads out of it/],
    ['a link in a circle', (repo) => symlinkSync('..', join(repo, 'commands/up')), /circle/],
    ['two names that differ in case', (repo) => put(join(repo, 'Commands/b.md'), 'B'), /the same as/],
    ['a name with a line feed', (repo) => put(join(repo, 'a\nb.md'), 'B'), /invisible/],
    ['the name of a device', (repo) => put(join(repo, 'nul'), 'B'), /device/],
  ])('a repository with %s', async (_name, build, why) => {
    const rig = createRig();
    await expect(fromRepository(rig, build)).rejects.toThrow(why);
    expect(treeOf(join(rig.home.configHome, 'plugins/cache'))).toEqual([]);
    expect(readdirSync(join(rig.home.configHome, 'plugins/.heddle-staging'))).toEqual([]);
  });

  test('submodules, hooks, filters and attributes of a repository run nothing', async () => {
    const rig = createRig();
    const touched = join(rig.base, 'repo/touched');
    const sub = join(rig.base, 'out');
    put(join(sub, 'x'), 'x');
    commitAll(sub);
    const prepared = await fromRepository(rig, (repo) => {
      git(repo, 'init', '-q');
      git(repo, 'submodule', '--quiet', 'add', `file://${sub}`, 'sub');
      put(join(repo, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
      put(join(repo, '.lfsconfig'), '[lfs]\nurl = file:///nowhere\n');
      git(repo, 'config', 'filter.evil.smudge', `touch ${touched}`);
      put(join(repo, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${touched}\n`);
    });
    expect(treeOf(prepared.folder)).not.toContain('sub/x');
    expect(existsSync(touched)).toBe(false);
  });

  test('hooks in the templates of the user do not run, and no file lies outside', async () => {
    const rig = createRig();
    const touched = join(rig.base, 'project/touched');
    put(join(rig.base, 'project/templates/hooks/post-checkout'), `#!/bin/sh\ntouch ${touched}\n`);
    execFileSync('chmod', ['+x', join(rig.base, 'project/templates/hooks/post-checkout')]);
    put(join(rig.base, '.gitconfig'), `[init]\ntemplateDir = ${join(rig.base, 'project/templates')}\n`);
    await fromRepository(rig, () => {});
    expect(existsSync(touched)).toBe(false);
  });

  test('a pipe in a folder does not block, and a link out of the marketplace is no plugin', async () => {
    const rig = createRig();
    const root = rig.shop({ 'commands/a.md': 'A' });
    execFileSync('mkfifo', [join(root, 'kit/pipe')]);
    await expect(rig.prepare(directory(root))).rejects.toThrow(/neither a file nor a folder/);
    const other = createRig();
    const shop = other.shop({});
    put(join(other.base, 'project/secret/commands/a.md'), 'A');
    symlinkSync(join(other.base, 'project/secret'), join(shop, 'kit'));
    await expect(other.prepare(directory(shop))).rejects.toThrow(/leads out/);
  });

  test('a list of plugins that is a link out of its repository is not read', async () => {
    const rig = createRig();
    const repo = join(rig.base, 'repo');
    put(join(rig.base, 'project/secret.json'), { name: 'shop', plugins: [] });
    mkdirSync(join(repo, '.claude-plugin'), { recursive: true });
    symlinkSync(join(rig.base, 'project/secret.json'), join(repo, '.claude-plugin/marketplace.json'));
    commitAll(repo);
    await expect(addMarketplace(rig.store, { source: 'git', url: `file://${repo}` }, 'user')).rejects.toThrow(
      'leads out of the marketplace',
    );
  });

  test.each<[name: string, source: unknown, why: RegExp]>([
    ['upwards', '../out', /leads out of the marketplace/],
    ['upwards within', './kit/../../out', /leads out of the marketplace/],
    ['absolute', '/etc', /leads out of the marketplace/],
    ['an option as an address', { source: 'url', url: '--upload-pack=touch x' }, /no address for git/],
    ['a helper of git', { source: 'url', url: 'ext::sh -c touch% x' }, /no address for git/],
    ['a helper with a nice name', { source: 'url', url: 'https::https://x' }, /no address for git/],
    ['without encryption', { source: 'url', url: 'git://example.com/x' }, /no address for git/],
    ['plain http', { source: 'url', url: 'http://example.com/x' }, /no address for git/],
    ['an option as an ssh host', { source: 'url', url: 'ssh://-oProxyCommand=touch/x' }, /no address for git/],
    [
      'an option as a branch',
      { source: 'url', url: 'https://127.0.0.1:1/x', ref: '--upload-pack=x' },
      /no branch, tag or commit/,
    ],
    [
      'a refspec as a branch',
      { source: 'url', url: 'https://127.0.0.1:1/x', ref: '+refs/*:refs/*' },
      /no branch, tag or commit/,
    ],
    [
      'a folder upwards',
      { source: 'git-subdir', url: 'https://127.0.0.1:1/x', path: '../..' },
      /answer|refused|connect|no folder/i,
    ],
    ['a repository upwards', { source: 'github', repo: '../../x' }, /no repository/],
    ['a package that is an address', { source: 'npm', package: 'git+ssh://x/y' }, /no package of npm/],
    ['a package that is a folder', { source: 'npm', package: '../x' }, /no package of npm/],
    ['a version that is an address', { source: 'npm', package: 'x', version: 'file:../y' }, /no version/],
    ['an archive of this machine', { source: 'archive', url: 'file:///etc/passwd' }, /no https address/],
    ['an archive without encryption', { source: 'archive', url: 'http://example.com/x.zip' }, /no https address/],
    ['nothing', {}, /which this version does not know/],
  ])('a source that is %s', async (_name, source, why) => {
    const rig = createRig();
    const root = rig.shop({}, { source });
    await expect(rig.prepare(directory(root))).rejects.toThrow(why);
    expect(treeOf(join(rig.home.configHome, 'plugins/cache'))).toEqual([]);
  });

  test.each([
    '',
    '-x',
    '--help',
    'a b c',
    'ext::sh',
    'http://example.com/x.git',
    'ftp://x/y',
    'a/b/c',
    'x\ny/z',
    '../gone',
  ])('nobody can add %j', (text) => {
    const { cwd } = createRig().home;
    expect(() => typedSource(text, { cwd, userHome: cwd })).toThrow();
  });

  test.each([
    [['../x', 'a'], 'no name'],
    [['.git'], 'no name'],
    [['a/b'], 'no name'],
    [['x\u001b[2J'], 'no name'],
    [['kit', 'kit'], 'another plugin kit'],
  ])('plugins with the names %j', async (names, why) => {
    const rig = createRig();
    const root = rig.shop({});
    put(join(root, '.claude-plugin/marketplace.json'), {
      name: 'shop',
      plugins: names.map((name) => ({ name, source: './kit' })),
    });
    const { catalog } = await addMarketplace(rig.store, directory(root), 'user');
    expect(catalog.problems.join()).toContain(why);
  });
});

test('what the cache keeps at the top of a folder hides no file below it, and no link leads into it', () => {
  const folder = join(createRig().home.cwd, 'counted');
  put(join(folder, 'hooks/run.sh'), 'echo 1');
  put(join(folder, '.in_use/123'), '');
  const { integrity } = integrityOf(folder);
  put(join(folder, '.in_use/456'), '');
  put(join(folder, '.orphaned_at'), '1');
  expect(integrityOf(folder).integrity).toBe(integrity);
  put(join(folder, 'hooks/.in_use/run.sh'), 'echo 2');
  expect([...integrityOf(folder).files.keys()]).toEqual(['hooks/.in_use/run.sh', 'hooks/run.sh']);
  symlinkSync('.in_use/123', join(folder, 'now.sh'));
  expect(() => integrityOf(folder)).toThrow('now.sh is a link to what does not belong to it');
});
