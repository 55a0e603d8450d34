import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { memoryIn } from '../../support/memory.ts';
import { put } from '../../support/put.ts';
import { createHouse, type House, lastTexts, tempDir } from '../support.ts';

const FOR_TS = '---\npaths:\n  - "src/**/*.{ts,tsx}"\n---\nNo any.\n';
const read = (path: string) => toolUse('Read', { file_path: path });

function write(house: House, name: string, text: string): string {
  const path = join(house.dir, name);
  put(path, text);
  return path;
}

/** What each request is told of memory files that the one before was not. */
function toldIn(house: House): string[] {
  return house.model.requests.map((request) =>
    lastTexts(request)
      .filter((text) => text.includes('keep instructions for you') || text.includes('are withdrawn'))
      .join('\n'),
  );
}

describe('rules (.claude/rules)', () => {
  test('without paths are memory like any other, behind CLAUDE.md and before CLAUDE.local.md', async () => {
    const house = createHouse(['one']);
    const paths = [
      write(house, '../.heddle/rules/mine.md', 'Mine.'),
      write(house, '.claude/CLAUDE.md', 'Claude.'),
      write(house, '.claude/rules/a/style.md', 'Style.'),
      write(house, '.claude/rules/b.md', '---\ndescription: B\n---\nRule B. @../more.txt'),
      write(house, '.claude/more.txt', 'More.'),
      write(house, 'CLAUDE.local.md', 'Local.'),
    ];
    const client = house.connect();
    await client.ask('1');
    const files = client.of('system/init')[0]?.memory_files as { path: string; type: string }[];
    expect(files.map(({ path }) => path)).toEqual(paths.map((path) => join(path)));
    expect(files[0]).toMatchObject({ type: 'user' });
    expect(toldIn(house)[0]).toContain("rules/b.md (the project's)\n\nRule B.");
    expect(toldIn(house)[0]).not.toContain('description: B');
  });

  test('with paths are told once a matching file is read, and once only', async () => {
    const house = createHouse([read('docs/a.md'), read('src/deep/a.ts'), read('src/a.tsx'), 'done', 'again']);
    for (const name of ['docs/a.md', 'src/deep/a.ts', 'src/a.tsx']) write(house, name, 'x');
    const path = write(house, '.claude/rules/ts.md', FOR_TS);
    const client = house.connect();
    await client.ask('go');
    await client.ask('more');
    expect(toldIn(house).map((told) => told.includes('No any.'))).toEqual([false, false, true, false, false]);
    expect(toldIn(house)[2]).toContain(`# ${path} (the project's; for files that match src/**/*.{ts,tsx})\n\nNo any.`);
  });

  test('with paths come with a mention, and again after a compaction only when they are called for again', async () => {
    const house = createHouse(['one', '<summary>Short.</summary>', 'two', 'three']);
    write(house, 'src/a.ts', 'x');
    write(house, '.claude/rules/ts.md', FOR_TS);
    const client = house.connect();
    await client.ask('see @src/a.ts');
    await client.ask('/compact');
    await client.ask('2');
    await client.ask('see @src/a.ts');
    expect(toldIn(house).map((told) => told.includes('No any.'))).toEqual([true, false, false, true]);
  });

  test('[S-6] that were told are neither told again nor withdrawn by a resume', async () => {
    const house = createHouse([read('src/a.ts'), read('sub/b.ts'), 'done', 'more', 'and more']);
    write(house, 'src/a.ts', 'x');
    write(house, 'sub/b.ts', 'x');
    const path = write(house, '.claude/rules/ts.md', FOR_TS);
    write(house, 'sub/.claude/rules/plain.md', 'Below.');
    const first = house.connect();
    await first.ask('go');
    await first.end();
    const resumed = house.connect({ resume: String(first.of('system/init')[0]?.session_id) });
    await resumed.ask('more');
    expect(toldIn(house).map((told) => /No any|Below|withdrawn/.test(told))).toEqual(
      [false, true, true, false, false].slice(0, 4),
    );
    writeFileSync(path, FOR_TS.replace('any', 'unknown'));
    await resumed.ask('and more');
    expect(toldIn(house)[4]).toContain('changed: this replaces what it said before)\n\nNo unknown.');
  });

  test('[G1] a link leads out of a project only where it is trusted', async () => {
    const shared = tempDir();
    put(join(shared, 'folder/inside.md'), 'Inside.');
    put(join(shared, 'file.md'), 'File.');
    const house = createHouse(['one', 'two']);
    mkdirSync(join(house.dir, '.claude/rules'), { recursive: true });
    symlinkSync(join(shared, 'folder'), join(house.dir, '.claude/rules/folder'));
    symlinkSync(join(shared, 'file.md'), join(house.dir, '.claude/rules/file.md'));
    await house.connect().ask('1');
    await house.connect({ trust: true }).ask('2');
    expect(toldIn(house).map((told) => [told.includes('Inside.'), told.includes('File.')])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(house.logs.map(({ message }) => message).join('\n')).toContain('rules/file.md lies outside of the project');
  });

  test('[K1] are not looked for without the source', async () => {
    const house = createHouse(['one']);
    write(house, '.claude/rules/a.md', 'Rule.');
    write(house, '../.heddle/rules/b.md', 'Rule.');
    await house.connect({ settingSources: [] }).ask('1');
    expect(toldIn(house)).toEqual(['']);
  });
});

describe('claudeMdExcludes', () => {
  test('leaves out what matches, rules and imports included', async () => {
    const house = createHouse(['one']);
    write(house, '../CLAUDE.md', 'Above.');
    write(house, 'CLAUDE.md', 'Here. @more.txt');
    write(house, 'more.txt', 'More.');
    write(house, '.claude/rules/a.md', 'Rule.');
    write(house, '.claude/rules/b.md', 'Kept.');
    const claudeMdExcludes = [join(house.dir, '../CLAUDE.md'), '**/rules/a.md', '**/more.txt'];
    await house.connect({ settings: JSON.stringify({ claudeMdExcludes }) }).ask('1');
    const [told] = toldIn(house);
    expect(['Above.', 'Here.', 'More.', 'Rule.', 'Kept.'].filter((text) => told?.includes(`\n\n${text}`))).toEqual([
      'Here.',
      'Kept.',
    ]);
  });

  test('[G1] of a project that nobody trusts hides nothing of the user', async () => {
    const house = createHouse(['one', 'two']);
    write(house, '../.heddle/CLAUDE.md', 'Mine.');
    write(house, '.claude/settings.json', '{"claudeMdExcludes":["**/CLAUDE.md"]}');
    await house.connect().ask('1');
    await house.connect({ trust: true }).ask('2');
    expect(toldIn(house).map((told) => told.includes('Mine.'))).toEqual([true, false]);
  });
});

test('[B-186] hooks hear which file called for a rule, and what it is for', async () => {
  const house = createHouse([]);
  const rule = write(house, '.claude/rules/ts.md', '---\npaths: "*.ts"\n---\nRule. @./more.txt');
  const more = write(house, '.claude/rules/more.txt', 'More.');
  const below = write(house, 'sub/.claude/rules/plain.md', 'Below.');
  const { memory, loaded } = memoryIn(house.dir);
  expect(await memory.pending()).toBe(null);
  const [a, b] = [join(house.dir, 'a.ts'), join(house.dir, 'sub/b.txt')];
  memory.touch([a, b]);
  const news = await memory.pendingNested();
  memory.markReported(news ?? { type: '', content: '' });
  expect(loaded).toEqual([
    {
      file_path: rule,
      memory_type: 'Project',
      load_reason: 'path_glob_match',
      globs: ['*.ts'],
      trigger_file_path: a,
    },
    { file_path: more, memory_type: 'Project', load_reason: 'include', globs: ['*.ts'], parent_file_path: rule },
    { file_path: below, memory_type: 'Project', load_reason: 'nested_traversal', trigger_file_path: b },
  ]);
});
