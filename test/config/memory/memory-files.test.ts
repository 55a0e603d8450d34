import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MemoryOptions, readMemory } from '../../../src/config/memory/memory-files.ts';
import { type MemoryKind, memoryLocations, nestedLocations } from '../../../src/config/memory/memory-locations.ts';
import { tempDir } from '../support.ts';

/** A project two levels below its repository, with a user's home beside it. */
function createRig(options: Partial<MemoryOptions> & { sources?: MemoryKind[]; additional?: string[] } = {}) {
  const base = tempDir();
  const cwd = join(base, 'repo/app');
  const configHome = join(base, 'home/.heddle');
  const userHome = join(base, 'home');
  mkdirSync(cwd, { recursive: true });
  const warnings: string[] = [];
  const { sources = ['user', 'project', 'local'], additional = [], ...reading } = options;
  const reads = (kind: MemoryKind) => sources.includes(kind);
  return {
    base,
    cwd,
    warnings,
    write(name: string, text: string): string {
      const path = join(base, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    read() {
      const locations = memoryLocations({
        cwd,
        additional: additional.map((dir) => join(base, dir)),
        configHome,
        userHome,
        reads,
      });
      return readMemory(locations, {
        cwd,
        roots: [cwd],
        userHome,
        mayRead: () => true,
        isTrusted: () => false,
        isDue: () => false,
        warn: (text) => warnings.push(text),
        ...reading,
      });
    },
    names() {
      return this.read().map(({ path }) => path.slice(base.length + 1));
    },
  };
}

describe('[SET-02] where memory files are', () => {
  test('[SET-03] the user’s, then from the top down; in a directory AGENTS.md, CLAUDE.md, .claude, local', () => {
    const rig = createRig();
    const names = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
    const all = [
      ...['home/.heddle/AGENTS.md', 'home/.heddle/CLAUDE.md'],
      ...names.map((name) => `repo/${name}`),
      ...names.map((name) => `repo/app/${name}`),
    ];
    for (const name of [...all].reverse()) rig.write(name, `of ${name}`);
    expect(rig.names()).toEqual(all);
    expect(rig.read().map(({ kind }) => kind)).toEqual([
      ...['user', 'user'],
      ...['project', 'project', 'project', 'local'],
      ...['project', 'project', 'project', 'local'],
    ]);
    expect(rig.warnings).toEqual([]);
  });

  test.each([
    [[], []],
    [['user'], ['home/.heddle/CLAUDE.md']],
    [['project'], ['repo/CLAUDE.md']],
    [['local'], ['repo/app/CLAUDE.local.md']],
  ] as [MemoryKind[], string[]][])('[K1] with the sources %j: %j', (sources, expected) => {
    const rig = createRig({ sources });
    for (const name of ['home/.heddle/CLAUDE.md', 'repo/CLAUDE.md', 'repo/app/CLAUDE.local.md']) rig.write(name, name);
    expect(rig.names()).toEqual(expected);
  });

  test('[P2] what another program keeps in the user’s home is no project’s', () => {
    const locations = memoryLocations({
      ...{ cwd: '/home/u/p', additional: [], configHome: null, userHome: '/home/u' },
      reads: () => true,
    });
    expect(locations.map(({ path }) => path)).not.toContain('/home/u/.claude/CLAUDE.md');
    expect(locations.map(({ path }) => path)).toContain('/home/u/CLAUDE.md');
    expect(locations.map(({ path }) => path)).not.toContain('/CLAUDE.md');
  });

  test('directories beside have a say where they are asked for', () => {
    const rig = createRig({ additional: ['other'] });
    rig.write('other/CLAUDE.md', 'other');
    expect(rig.names()).toEqual(['other/CLAUDE.md']);
  });

  test('below the working directory: the directories between, the outer ones first', () => {
    const paths = (path: string) => nestedLocations(path, '/p', () => true).map((location) => location.path);
    const own = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md', '.claude/rules', 'CLAUDE.local.md'];
    expect(paths('/p/a/b.ts').slice(0, 5)).toEqual(own.map((name) => `/p/a/${name}`));
    expect(paths('/p')).toEqual([]);
    expect(paths('/q/a.ts')).toEqual([]);
    expect(paths('/p/node_modules/x/a.js')).toEqual([]);
  });
});

describe('a file counts once', () => {
  test.each([
    ['a link', (rig: ReturnType<typeof createRig>) => symlinkSync('AGENTS.md', join(rig.cwd, 'CLAUDE.md'))],
    ['a second name', (rig) => linkSync(join(rig.cwd, 'AGENTS.md'), join(rig.cwd, 'CLAUDE.md'))],
    ['a copy', (rig) => rig.write('repo/app/CLAUDE.md', 'rules')],
    ['an import', (rig) => rig.write('repo/app/CLAUDE.md', '@AGENTS.md')],
  ] as [string, (rig: ReturnType<typeof createRig>) => unknown][])('%s', (_what, twice) => {
    const rig = createRig();
    rig.write('repo/app/AGENTS.md', 'rules');
    twice(rig);
    expect(rig.read().filter(({ text }) => text === 'rules')).toHaveLength(1);
    expect(rig.warnings).toEqual([]);
  });
});

describe('imports', () => {
  test('follow the file that names them, and theirs follow them', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', 'all: @docs/a.md and @docs/c.md.');
    rig.write('repo/app/docs/a.md', 'a\n@b.md');
    rig.write('repo/app/docs/b.md', 'b');
    rig.write('repo/app/docs/c.md', 'c');
    expect(rig.read().map(({ path, importedBy }) => [path, importedBy].map((each) => each?.split('/').pop()))).toEqual([
      ['CLAUDE.md', undefined],
      ['a.md', 'CLAUDE.md'],
      ['b.md', 'a.md'],
      ['c.md', 'CLAUDE.md'],
    ]);
  });

  test('go round in no circle', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', 'one @two.md @CLAUDE.md');
    rig.write('repo/app/two.md', 'two @CLAUDE.md @two.md');
    expect(rig.names()).toEqual(['repo/app/CLAUDE.md', 'repo/app/two.md']);
  });

  test('end after five, which is said', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', '@1.md');
    for (let i = 1; i <= 7; i++) rig.write(`repo/app/${i}.md`, `${i} @${i + 1}.md`);
    expect(rig.read()).toHaveLength(6);
    expect(rig.warnings).toEqual([expect.stringMatching(/more than 5 deep.*@6\.md in .*5\.md/)]);
  });

  test('one that is not there is said when it must have been meant', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', 'ask @someone about @types/node and @gone.md');
    expect(rig.read()).toHaveLength(1);
    expect(rig.warnings).toEqual([expect.stringMatching(/not there: @gone\.md in .*CLAUDE\.md/)]);
  });

  test.each([
    ['by name', (rig: ReturnType<typeof createRig>) => rig.write('repo/app/CLAUDE.md', `x @${rig.base}/secret`)],
    ['through the home', (rig) => rig.write('repo/app/CLAUDE.md', 'x @~/../secret')],
    ['through a link', (rig) => symlinkSync(join(rig.base, 'secret'), join(rig.cwd, 'CLAUDE.md'))],
  ] as [string, (rig: ReturnType<typeof createRig>) => unknown][])(
    '[G1] outside of an untrusted project %s: not read, and said',
    (_what, reach) => {
      for (const isTrusted of [false, true]) {
        const rig = createRig({ isTrusted: () => isTrusted });
        rig.write('secret', 'the secret');
        reach(rig);
        expect(rig.read().some(({ text }) => text === 'the secret')).toBe(isTrusted);
        expect(rig.warnings).toEqual(isTrusted ? [] : [expect.stringMatching(/outside of the project.*heddle trust/)]);
      }
    },
  );

  test('the user’s own file may import from anywhere', () => {
    const rig = createRig();
    rig.write('secret', 'mine');
    rig.write('home/.heddle/CLAUDE.md', 'x @../../secret');
    expect(rig.names()).toEqual(['home/.heddle/CLAUDE.md', 'secret']);
  });

  test('a directory above may import what lies beside it', () => {
    const rig = createRig();
    rig.write('repo/.claude/CLAUDE.md', '@../docs/a.md');
    rig.write('repo/docs/a.md', 'a');
    expect(rig.names()).toEqual(['repo/.claude/CLAUDE.md', 'repo/docs/a.md']);
  });
});

describe('what cannot be used', () => {
  test('is hidden by a rule', () => {
    const rig = createRig({ mayRead: (path) => !path.endsWith('.local.md') });
    rig.write('repo/app/CLAUDE.md', 'seen');
    rig.write('repo/app/CLAUDE.local.md', 'hidden');
    expect(rig.names()).toEqual(['repo/app/CLAUDE.md']);
  });

  test('is no file, no text or not readable: said, with its name', () => {
    const rig = createRig();
    mkdirSync(join(rig.cwd, 'CLAUDE.md'));
    rig.write('repo/app/AGENTS.md', 'a\0b');
    const closed = rig.write('repo/CLAUDE.md', 'x');
    chmodSync(closed, 0);
    rig.read();
    const asRoot = process.getuid?.() === 0;
    expect(rig.warnings).toEqual([
      ...(asRoot ? [] : [expect.stringMatching(/not read: .*repo\/CLAUDE\.md/)]),
      expect.stringMatching(/AGENTS\.md is not a text/),
      expect.stringMatching(/CLAUDE\.md is not a regular file/),
    ]);
  });

  test('is empty', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', ' \n');
    expect(rig.read()).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });

  test('is too long: the start is used, and that is said to both', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', 'ü'.repeat(60_000));
    const [file] = rig.read();
    expect(file?.text.length).toBeLessThan(50_100);
    expect(file?.text).toMatch(/^ü+\n\[The file goes on/);
    expect(rig.warnings).toEqual([expect.stringMatching(/Only the first 100000 bytes/)]);
  });

  test('is too much together: what came first stays', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', Array.from({ length: 6 }, (_, i) => `@${i}.md`).join(' '));
    for (let i = 0; i < 6; i++) rig.write(`repo/app/${i}.md`, `${i}`.repeat(90_000));
    expect(rig.names()).toHaveLength(5);
    expect(rig.warnings).toHaveLength(2);
  });

  test('begins with a byte order mark, which is no part of it', () => {
    const rig = createRig();
    rig.write('repo/app/CLAUDE.md', '\uFEFFrules');
    expect(rig.read()[0]?.text).toBe('rules');
  });
});
