import { describe, expect, test } from 'vitest';
import { importsOf, parseFile } from '../support/source-tree.ts';
import { callbackSlots, forcedCasts, longFunctions } from './support/code-rules.ts';
import { circleThrough, knots } from './support/cycles.ts';
import { lateImports, targetCount, undeclaredDoors } from './support/doors.ts';
import { compare, type Finding, updated } from './support/exceptions.ts';
import { crowdedFolders, sameNames, smallFiles } from './support/file-rules.ts';
import { programOfTexts } from './support/program.ts';
import { againstTheArrow, roomOf } from './support/rooms.ts';
import { crowdedTypes, lateGetters, spreadInstances, wholeServices } from './support/typed-rules.ts';

/** A rule that finds nothing may have nothing to find, or may be blind: here each one sees a sample of what it forbids. */

describe('exceptions', () => {
  const found = [
    { key: 'a', amount: 130, text: 'a is long' },
    { key: 'b', text: 'b is wrong' },
    { key: 'b', text: 'b is wrong again' },
  ];

  test('what is not listed, or worse than listed, is a problem, and so is a line that nothing needs', () => {
    expect(compare('rule', { a: 130, b: 2 }, found)).toEqual([]);
    expect(compare('rule', { a: 140, b: 2 }, found)).toEqual([]);
    expect(compare('rule', { a: 120, b: 1 }, found)).toEqual([
      'a is long (its exception allows 120, not more)',
      'b is wrong (its exception allows 1, not more)',
      'b is wrong again (its exception allows 1, not more)',
    ]);
    expect(compare('rule', { a: 130, b: 2, c: 1 }, found)).toEqual([expect.stringContaining('remove that line')]);
    expect(compare('rule', { a: 130 }, found)).toEqual(['b is wrong', 'b is wrong again']);
  });

  test('an update only shrinks, a list after renames does not grow', () => {
    expect(updated('1', { a: 140, c: 1 }, found)).toEqual({ a: 130 });
    expect(updated('1', { a: 120 }, found)).toEqual({ a: 120 });
    expect(updated('renamed', { a: 120, c: 1 }, found)).toEqual({ a: 120, b: 2 });
    expect(updated('renamed', { c: 1 }, found)).toEqual({});
    expect(updated('init', {}, found)).toEqual({ a: 130, b: 2 });
  });
});

describe('rules of files', () => {
  test('a folder with too many files', () => {
    const files = ['src/a/x.ts', 'src/a/y.ts', 'src/a/b/z.ts'].map((path) => parseFile(path, ''));
    expect(crowdedFolders(files, 1)).toEqual([
      { key: 'src/a', amount: 2, text: 'src/a has 2 source files: make folders by concept in it' },
    ]);
  });

  test('a small file that one file imports, not one that two import', () => {
    const files = [
      parseFile('src/a/user.ts', "import { a } from './small.ts';\nimport { b } from './shared.ts';\n\n\n"),
      parseFile('src/a/other.ts', "import type { b } from './shared.ts';\n"),
      parseFile('src/a/small.ts', 'export const a = 1;\n'),
      parseFile('src/a/shared.ts', 'export const b = 1;\n'),
    ];
    expect(keys(smallFiles(files, 2))).toEqual(['src/a/small.ts']);
  });

  test('a name that occurs twice in a folder of src, or three times', () => {
    const named = (...paths: string[]) => keys(sameNames(paths.map((path) => parseFile(path, ''))));
    expect(named('src/a/git.ts', 'src/b/git.ts')).toEqual([]);
    expect(named('src/a/index.ts', 'src/a/b/index.ts')).toEqual([]);
    expect(named('src/a/x/git.ts', 'src/a/y/git.ts')).toEqual(['git.ts']);
    expect(named('src/a/git.ts', 'src/b/git.ts', 'src/c/git.ts')).toEqual(['git.ts']);
  });

  test('late imports that the table of doors does not name, also computed ones', () => {
    const late = lateImports([parseFile('src/a/x.ts', "import('./y.ts'); import('node:fs'); import(name);")]);
    expect(keys(undeclaredDoors(late, null))).toEqual(['src/a/x.ts -> src/a/y.ts', 'src/a/x.ts -> name']);
    expect(keys(undeclaredDoors(late, new Set(['src/a/x.ts', 'src/a/y.ts'])))).toEqual(['src/a/x.ts -> name']);
    expect(targetCount(late, 1)).toMatchObject([{ amount: 2 }]);
    expect(targetCount(late, 2)).toEqual([]);
  });

  test('files that import each other', () => {
    const edges = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(knots(edges)).toEqual([['a', 'b', 'c']]);
    expect(circleThrough('b', edges)).toEqual(['b', 'c', 'a', 'b']);
  });

  test('an import of a room to the right, also of a type only', () => {
    const file = parseFile(
      'src/host/engine/x.ts',
      "import type { A } from '../session/y.ts';\nimport '../engine/z.ts';",
    );
    expect(keys(importsOf(file).flatMap((each) => againstTheArrow(file, each) ?? []))).toEqual([
      'src/host/engine/x.ts -> src/host/session/y.ts',
    ]);
    expect(roomOf('src/host/nowhere/x.ts')).toBeNull();
  });
});

describe('rules of code', () => {
  test('a long function', () => {
    const file = parseFile('src/a/x.ts', 'const short = () => {\n};\nclass A {\n  long() {\n\n\n  }\n}\n');
    expect(longFunctions([file], 3)).toMatchObject([{ key: 'src/a/x.ts A.long', amount: 4 }]);
  });

  test('a callback that can be assigned', () => {
    const text = `
      interface Team { onNews: (() => void) | null; readonly onEnd: () => void; once: () => void }
      interface TeamOptions { onNews: () => void }
      function open(team: { onNews: () => void }) {}
      class Watch { onChange: Listener | null = null; onPlace: Listener }`;
    expect(keys(callbackSlots([parseFile('src/a/x.ts', text)]))).toEqual([
      'src/a/x.ts Team.onNews',
      'src/a/x.ts Watch.onChange',
      'src/a/x.ts Watch.onPlace',
    ]);
  });

  test('a fake of a type of host', () => {
    const text = `
      import type { Thread } from '../../src/host/thread/thread.ts';
      import type { Turn } from '../../src/agent/turn.ts';
      const a = {} as unknown as Thread, b = {} as unknown as Turn, c = ({} as unknown) as Pick<Thread, 'x'>;`;
    expect(keys(forcedCasts([parseFile('test/host/x.test.ts', text)]))).toHaveLength(2);
  });
});

describe('rules of types', () => {
  const program = programOfTexts({
    'src/host/thread/thread.ts': `
      export class Thread { a = 1; b = 2; c = 3; d = 4; e = 5; #f = 6; private g = 7 }`,
    'src/host/agents/use.ts': `
      import { Thread } from '../thread/thread.ts';
      export interface Wide extends Thread { h: number }
      export function lateField(deps: { readonly thread: () => Thread | null }) { return deps; }
      export const lateParameter = (open: () => Thread) => open;
      export const copy = (thread: Thread) => ({ ...thread, a: 2 });
      export const some = { ...{ a: 1 } };
      export function few(thread: Thread) { const { a } = thread; return a + (() => thread.b)(); }
      export function pattern({ a }: Thread) { return a; }
      export function through(thread: Thread) { return few(thread) + thread.c; }
      export function many(thread: Thread) { return through(thread) + thread.d; }
      export function lost(thread: Thread) { return { thread }; }
      export class Keeper { readonly #thread: Thread; constructor(thread: Thread) { this.#thread = thread; } a() { return this.#thread.a; } }`,
    'src/host/session/use.ts': `
      import { Thread } from '../thread/thread.ts';
      export function few(thread: Thread) { return thread.a; }`,
  });

  test('a type with too many members, inherited ones included and private ones not', () => {
    expect(crowdedTypes(program, 4)).toMatchObject([
      { key: 'src/host/thread/thread.ts Thread', amount: 5 },
      { key: 'src/host/agents/use.ts Wide', amount: 6 },
    ]);
  });

  test('a getter of a thread', () => {
    const found = lateGetters(program).map(({ text }) => text.split(':')[1]);
    expect(found).toEqual([expect.stringContaining('thread of'), expect.stringContaining('open of lateParameter')]);
  });

  test('a spread instance', () => {
    expect(keys(spreadInstances(program))).toEqual(['src/host/agents/use.ts Thread']);
  });

  test('services that are taken whole for little', () => {
    expect(wholeServices(program, 4).map(({ text }) => text.replace(/^\S+ /, ''))).toEqual([
      'few takes a whole Thread and uses a, b: take only that',
      'pattern takes a whole Thread and uses a: take only that',
      'through takes a whole Thread and uses a, b, c: take only that',
      'Keeper keeps a whole Thread and uses a: take only that',
      'Keeper.constructor takes a whole Thread and uses a: take only that',
    ]);
  });
});

function keys(findings: readonly Finding[]): string[] {
  return findings.map(({ key }) => key);
}
