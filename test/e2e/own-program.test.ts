import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { STREAM_OUT } from '../support/cli.ts';
import { type InstalledCopy, installCopy } from '../support/installed-copy.ts';
import { isResult, textsOf, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';
import { describeSandboxed } from '../support/sandbox.ts';

/** Heddle as a dependency of the project that it works in, as `npm install heddle` leaves it. */
function installInProject(place: Place): InstalledCopy {
  const copy = installCopy(place, { at: join(place.cwd, 'node_modules/heddle'), dependencies: 'none' });
  for (const name of DEPENDENCIES) {
    cpSync(join(ROOT, 'node_modules', name), join(place.cwd, 'node_modules', name), { recursive: true });
  }
  return copy;
}

const RIPGREP = `@vscode/ripgrep-${process.platform}-${process.arch}`;
const DEPENDENCIES = ['@vscode/ripgrep', RIPGREP, 'diff'];
const PARTS = ['heddle', ...DEPENDENCIES];

/** All that is in a folder, but the compiled code that the program stores there. */
function inventory(folder: string): string[] {
  const { ino, size, mode, mtimeMs } = lstatSync(folder);
  const own = [ino, size, mode, mtimeMs, folder].join(' ');
  if (!lstatSync(folder).isDirectory()) return [own];
  const names = readdirSync(folder).filter((name) => name !== 'code-cache');
  // The times of directories change when code is stored in them.
  return [[ino, mode, folder].join(' '), ...names.flatMap((name) => inventory(join(folder, name)))];
}

const inventories = ({ cwd }: Place) => PARTS.flatMap((name) => inventory(join(cwd, 'node_modules', name)));
const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });

async function play(copy: InstalledCopy, flags: string[]) {
  const cli = copy.start([...STREAM_OUT, 'go', ...flags]);
  cli.endInput();
  const { lines, stderr, code } = await cli.finished;
  const told = lines.filter(toolResult).map(({ message }) => textsOf(message).join());
  return { told, stderr, code, result: lines.find(isResult) };
}

/** Where compiled code is stored when the package cannot be written to: by default, and by a variable. */
function cacheFolders({ root, env }: Place): { home: string; folders: string[] } {
  const home = join(root, 'home');
  const named = join(root, 'named');
  env.XDG_CACHE_HOME = named;
  for (const folder of [join(home, '.cache'), named]) mkdirSync(folder, { recursive: true });
  return { home, folders: [join(home, '.cache/heddle'), join(named, 'heddle')] };
}

const SANDBOX = ['--settings', JSON.stringify({ sandbox: { enabled: true } })];
const RG = `node_modules/${RIPGREP}/bin/rg`;

/** Each tries to have a program of its own run outside: `evil` makes the file `pwned` where no sandbox may. */
const REPLACEMENTS: [string, string][] = [
  ['a part that is loaded late', 'for f in node_modules/heddle/dist/vendor/*.cjs; do cat evil.js > $f; done'],
  [
    'a part, by another file in its place',
    'for f in node_modules/heddle/dist/{bundles,vendor}/*.cjs; do cp evil.js x; mv -f x $f; done',
  ],
  ['the first file', 'cp evil.js node_modules/heddle/dist/heddle.cjs'],
  ['ripgrep', `cp evil.sh ${RG}`],
  ['ripgrep, removed first', `rm -f ${RG}; cp evil.sh ${RG}; chmod +x ${RG}`],
  ['its folder', 'mv node_modules/@vscode node_modules/old; mkdir node_modules/@vscode'],
  ['all dependencies', 'mv node_modules old; mkdir node_modules; cp -r old/heddle node_modules/'],
  ['the package', 'mv node_modules/heddle node_modules/h; cp -r node_modules/h node_modules/heddle'],
  ['a dependency', 'echo "throw 1" > node_modules/diff/libcjs/index.js; rm -rf node_modules/diff'],
  ['the manifest', 'echo "{}" > node_modules/heddle/package.json'],
  ['the compiled code', 'mkdir -p node_modules/heddle/dist/code-cache && touch node_modules/heddle/dist/code-cache/x'],
  ['through a link', `ln -s node_modules/heddle/dist/bundles l; cp evil.js l/cli.cjs; ln -sfn ../evil.sh ${RG}`],
  ['through a hard link', `ln ${RG} hard && cat evil.sh > hard`],
  ['by its rights', `chmod 777 ${RG}; chmod -R 777 node_modules/heddle`],
  ['with a mount of its own', 'unshare -rm sh -c "mount --bind evil.sh RG" || true'.replace('RG', RG)],
  [
    'with a package of its own in the way',
    'mkdir -p node_modules/heddle/node_modules/diff && touch node_modules/heddle/node_modules/diff/x',
  ],
  ['beside ripgrep', 'mkdir -p node_modules/@vscode/node_modules/@vscode && touch node_modules/@vscode/node_modules/x'],
];

describeSandboxed('[G12] a confined command cannot replace', () => {
  test('this program, whatever it tries', async () => {
    const search = toolUse('Grep', { pattern: 'needle', output_mode: 'content' });
    const script = REPLACEMENTS.flatMap((_, at) => [bash(`bash attack-${at}.sh`), search]);
    const changed: string[] = [];
    const place = await makePlace((_request, index) => {
      const [what] = REPLACEMENTS[(index >> 1) - 1] ?? [];
      if (what !== undefined && !isDeepStrictEqual(inventories(place), before)) changed.push(what);
      return script[index] ?? 'done';
    });
    const copy = installInProject(place);
    const pwned = join(place.root, 'pwned');
    // From files, so that nobody reads them before.
    for (const [at, [, command]] of REPLACEMENTS.entries()) {
      writeFileSync(join(place.cwd, `attack-${at}.sh`), command);
    }
    writeFileSync(join(place.cwd, 'evil.js'), `(()=>require("fs").writeFileSync(${JSON.stringify(pwned)},""))`);
    writeFileSync(join(place.cwd, 'evil.sh'), `#!/bin/sh\ntouch ${pwned}\n`);
    chmodSync(join(place.cwd, 'evil.sh'), 0o755);
    writeFileSync(join(place.cwd, 'hay.txt'), 'a needle\n');
    const before = inventories(place);
    const { told, result } = await play(copy, SANDBOX);
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(changed).toEqual([]);
    expect(existsSync(pwned)).toBe(false);
    expect(told.filter((text) => text.includes('a needle'))).toHaveLength(REPLACEMENTS.length);
    // Nothing of the walls is left.
    expect(readdirSync(join(place.cwd, 'node_modules')).sort()).toEqual(['@vscode', 'diff', 'heddle']);
  });

  test('what it may load one day and is not installed', async () => {
    const evil = (name: string) => `mkdir -p node_modules/${name} && echo pwned > node_modules/${name}/index.js`;
    const place = await makePlace([bash('bash attack.sh'), 'done']);
    writeFileSync(join(place.cwd, 'attack.sh'), ['sharp', 'unpdf', '@opentelemetry/api'].map(evil).join('; '));
    const { told } = await play(installInProject(place), SANDBOX);
    expect(told[0]).toMatch(/Read-only file system/);
    for (const name of ['sharp', 'unpdf', '@opentelemetry']) {
      expect(existsSync(join(place.cwd, 'node_modules', name))).toBe(false);
    }
  });

  test('files of it by their names in the store of a package manager', async () => {
    const place = await makePlace([bash('bash attack.sh'), 'done']);
    const copy = installInProject(place);
    const store = join(place.cwd, '.pnpm-store/v3/files');
    mkdirSync(store, { recursive: true });
    const own = ['heddle/package.json', 'heddle/dist/heddle.cjs', 'diff/package.json', `${RIPGREP}/bin/rg`];
    for (const [at, name] of own.entries()) linkSync(join(place.cwd, 'node_modules', name), join(store, `${at}`));
    const before = inventories(place);
    writeFileSync(
      join(place.cwd, 'attack.sh'),
      'for f in .pnpm-store/v3/files/*; do echo pwned > $f; done; touch mine',
    );
    const { told } = await play(copy, SANDBOX);
    expect(told[0]).toMatch(/Read-only file system/);
    expect(inventories(place)).toEqual(before);
    expect(existsSync(join(place.cwd, 'mine'))).toBe(true);
  });

  test('the compiled code in the cache folder of the user', async () => {
    const script: AnswerLike[] = [];
    const place = await makePlace((_request, index) => script[index] ?? 'done');
    const { home, folders } = cacheFolders(place);
    const attack = folders.map((folder) => `mkdir -p ${folder}/x; echo pwned > ${folder}/x/cli`);
    script.push(bash(`bash attack.sh; echo mine > ${home}/mine`));
    writeFileSync(join(place.cwd, 'attack.sh'), attack.join('\n'));
    const { told } = await play(installCopy(place), [...SANDBOX, '--add-dir', place.root]);
    expect(told[0]).toMatch(/Read-only file system/);
    for (const folder of folders) expect(existsSync(join(folder, 'x/cli'))).toBe(false);
    expect(existsSync(join(home, 'mine'))).toBe(true);
  });

  test('a program that is run outside, by one of the same name', async () => {
    const place = await makePlace([
      bash('mkdir -p bin && cp evil.sh bin/git && cp evil.sh bin/loom && ls bin'),
      bash('git --version'),
      bash('loom'),
      'done',
    ]);
    const pwned = join(place.root, 'pwned');
    writeFileSync(join(place.cwd, 'evil.sh'), `#!/bin/sh\ntouch ${pwned}\necho evil\n`);
    chmodSync(join(place.cwd, 'evil.sh'), 0o755);
    place.env.PATH = `${join(place.cwd, 'bin')}:bin:.:${place.env.PATH}`;
    const sandbox = { enabled: true, excludedCommands: ['git', 'loom'] };
    const flags = ['--settings', JSON.stringify({ sandbox }), '--allowedTools', 'Bash(git:*)', 'Bash(loom:*)'];
    const { told } = await play(installCopy(place), flags);
    expect(told[0]).toContain('git');
    expect(told[1]).toMatch(/^git version/);
    expect(told[2]).toContain('command not found');
    expect(existsSync(pwned)).toBe(false);
  });

  test('a program that a hook runs, by one of the same name', async () => {
    const place = await makePlace([bash('mkdir bin && cp evil.sh bin/cat && cp evil.sh bin/env && ls bin'), 'done']);
    const pwned = join(place.root, 'pwned');
    writeFileSync(join(place.cwd, 'evil.sh'), `#!/bin/sh\ntouch ${pwned}\n`);
    chmodSync(join(place.cwd, 'evil.sh'), 0o755);
    mkdirSync(join(place.cwd, 'tools'));
    writeFileSync(join(place.cwd, 'tools/loom'), `#!/bin/sh\ntouch ${join(place.root, 'woven')}\n`);
    chmodSync(join(place.cwd, 'tools/loom'), 0o755);
    place.env.PATH = `${join(place.cwd, 'bin')}:bin:${join(place.cwd, 'tools')}:${place.env.PATH}`;
    const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
    const hooks = { PostToolUse: hook('cat; loom'), SessionStart: hook('echo A=1 >> "$CLAUDE_ENV_FILE"') };
    const settings = JSON.stringify({ sandbox: { enabled: true }, hooks });
    const { told } = await play(installCopy(place), ['--settings', settings]);
    expect(told[0]).toContain('cat');
    expect(existsSync(pwned)).toBe(false);
    expect(existsSync(join(place.root, 'woven'))).toBe(true); // what there is only in the project is still found
  });

  test('leaves other packages alone: they can be installed beside it', async () => {
    const command =
      'mkdir node_modules/mine && echo 1 > node_modules/mine/index.js && mv node_modules/mine node_modules/yours';
    const place = await makePlace([bash(command), 'done']);
    const { told } = await play(installInProject(place), SANDBOX);
    expect(told[0]).toBe('');
    expect(readFileSync(join(place.cwd, 'node_modules/yours/index.js'), 'utf8')).toBe('1\n');
  });
});

describe('[G12] without a sandbox', () => {
  const edit = (path: string) => toolUse('Write', { file_path: path, content: 'pwned' });
  const late = 'node_modules/heddle/dist/vendor/late.cjs';

  const CALLS: [string[], AnswerLike[]][] = [
    [
      ['--permission-mode', 'acceptEdits'],
      [
        edit(late),
        edit('node_modules/HEDDLE/dist/x.js'),
        bash(`echo pwned > ${late}`),
        bash(`cp evil.js ${late}`),
        bash('rm -r node_modules'),
        bash('mv node_modules old'),
        bash('mv node_modules/@vscode old'),
        bash('ln -sfn x node_modules/diff'),
      ],
    ],
    [['--allowedTools', 'Write', 'Edit'], [edit(late)]],
    [
      ['--dangerously-skip-permissions'],
      [edit(late), edit('node_modules/diff/x.js'), edit('node_modules/sharp/index.js')],
    ],
  ];

  test.each(CALLS)('nothing is written to the program unasked (%j)', async (flags, calls) => {
    const place = await makePlace([...calls, 'done']);
    const copy = installInProject(place);
    writeFileSync(join(place.cwd, 'evil.js'), 'pwned');
    const before = inventories(place);
    const { result, told } = await play(copy, flags);
    expect(result?.permission_denials, told.join('\n')).toHaveLength(calls.length);
    expect(inventories(place)).toEqual(before);
    expect(existsSync(join(place.cwd, 'node_modules/sharp'))).toBe(false);
  });

  test.each([['--permission-mode', 'acceptEdits'], ['--dangerously-skip-permissions']])(
    'nor to the compiled code in the cache folder of the user (%s)',
    async (...flags) => {
      const script: AnswerLike[] = [];
      const place = await makePlace((_request, index) => script[index] ?? 'done');
      const { home, folders } = cacheFolders(place);
      const calls = folders.map((folder) => edit(join(folder, 'x/cli')));
      const commands = [`cp evil.js ${home}/.cache/heddle/x`, `mv ${home}/.cache ${home}/old`].map((each) =>
        bash(each),
      );
      const refused = flags.length > 1 ? [...calls, ...commands] : calls;
      script.push(...refused, edit(join(home, '.cache/mine')));
      writeFileSync(join(place.cwd, 'evil.js'), 'pwned');
      const { result, told } = await play(installCopy(place), [...flags, '--add-dir', place.root]);
      expect(result?.permission_denials, told.join('\n')).toHaveLength(refused.length);
      for (const folder of folders) expect(existsSync(folder)).toBe(false);
      expect(existsSync(join(home, '.cache/mine'))).toBe(true);
    },
  );

  test('nor to another name of one of its files', async () => {
    const calls = [bash('echo pwned > hard'), bash('cp evil.js hard'), edit('hard')];
    const place = await makePlace([...calls, edit('other'), 'done']);
    const copy = installInProject(place);
    writeFileSync(join(place.cwd, 'evil.js'), 'pwned');
    linkSync(join(copy.dist, 'heddle.cjs'), join(place.cwd, 'hard'));
    linkSync(join(place.cwd, 'evil.js'), join(place.cwd, 'other'));
    const before = inventories(place);
    const { result, told } = await play(copy, ['--permission-mode', 'acceptEdits']);
    expect(result?.permission_denials, told.join('\n')).toHaveLength(calls.length);
    expect(inventories(place)).toEqual(before);
    expect(readFileSync(join(place.cwd, 'other'), 'utf8')).toBe('pwned');
  });

  test.each(['linked by npm', 'in a store of pnpm'])('by its real path: %s', async (how) => {
    const place = await makePlace([edit('node_modules/heddle/dist/x.js'), edit('node_modules/diff/x.js'), 'done']);
    const copy = installInProject(place);
    const modules = join(place.cwd, 'node_modules');
    const store = how === 'linked by npm' ? join(place.root, 'src') : join(modules, '.pnpm/all/node_modules');
    mkdirSync(store, { recursive: true });
    for (const name of ['heddle', 'diff', '@vscode']) {
      const to = how === 'linked by npm' && name !== 'heddle' ? join(store, 'node_modules', name) : join(store, name);
      mkdirSync(join(to, '..'), { recursive: true });
      renameSync(join(modules, name), to);
      symlinkSync(to, join(modules, name));
    }
    const { result } = await play(copy, ['--dangerously-skip-permissions', '--add-dir', place.root]);
    expect(result?.permission_denials).toHaveLength(2);
  });

  test('is no hindrance elsewhere', async () => {
    const place = await makePlace([
      edit('node_modules/mine/x.js'),
      edit('dist/heddle.cjs'),
      bash('mkdir a; rm -r a'),
      'done',
    ]);
    const { result } = await play(installInProject(place), ['--permission-mode', 'acceptEdits']);
    expect(result?.permission_denials).toHaveLength(0);
  });
});
