import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { memoryIn } from '../../support/memory.ts';
import { type Client, createHouse, type House, lastTexts } from '../support.ts';

const INTRODUCED = '<system-reminder>\nThe user and the project keep instructions';

/** What the last message of each request says of memory files. */
function toldIn(house: House): string[][] {
  return house.model.requests.map((request) => lastTexts(request).filter(isMemory));
}

const isMemory = (text: string) => text.startsWith(INTRODUCED) || text.includes('are withdrawn');

const idOf = (client: Client) => String(client.of('system/init')[0]?.session_id);

function write(house: House, name: string, text: string): string {
  const path = join(house.dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const attachments = (entries: readonly Entry[]) =>
  entries.flatMap(({ type, attachment }) => (type === 'attachment' ? [attachment as { type: string }] : []));

describe('memory files', () => {
  test('[TYP-08, SET-02] are told with the first message, behind tools and system, and are listed in init', async () => {
    const house = createHouse(['one', 'two']);
    const path = write(house, 'CLAUDE.md', 'Use tabs.\n');
    const client = house.connect();
    await client.ask('1');
    await client.ask('2');
    const [first, second] = toldIn(house);
    expect(first).toEqual([expect.stringContaining(`# ${path} (the project's)\n\nUse tabs.\n</system-reminder>`)]);
    expect(second).toEqual([]);
    const [request] = house.model.requests;
    expect(JSON.stringify([request?.system, request?.tools])).not.toContain('Use tabs');
    expect(client.of('system/init')[0]).toMatchObject({ memory_files: [{ path, type: 'project' }] });
  });

  test('without any, nothing is said of them', async () => {
    const house = createHouse(['one']);
    const client = house.connect();
    await client.ask('1');
    expect(lastTexts(house.model.requests[0])).toHaveLength(2);
    expect(client.of('system/init')[0]).not.toHaveProperty('memory_files');
  });

  test.each([
    ['[K1, SET-01]', [], []],
    ['[SET-02]', ['project'], ['project']],
    ['', ['user', 'local'], ['user', 'local']],
  ])('%s with the setting sources %j: %j', async (_id, settingSources, expected) => {
    const house = createHouse(['one']);
    write(house, 'CLAUDE.md', 'project');
    write(house, 'CLAUDE.local.md', 'local');
    write(house, '../.heddle/CLAUDE.md', 'user');
    await house.connect({ settingSources }).ask('1');
    const text = toldIn(house).flat().join();
    expect(['user', 'project', 'local'].filter((word) => text.includes(`\n\n${word}\n`))).toEqual(expected);
  });

  test('[G1] apply in a directory that nobody has trusted', async () => {
    const house = createHouse(['one']);
    write(house, '.claude/settings.json', '{"permissions":{"allow":["Bash"]}}');
    write(house, 'AGENTS.md', 'Use tabs.');
    const client = house.connect();
    await client.ask('1');
    expect(client.of('system/init')[0]).toMatchObject({ trust: { trusted: false } });
    expect(toldIn(house)[0]?.[0]).toContain('Use tabs.');
  });

  test('are hidden by a rule against reading them', async () => {
    const house = createHouse(['one']);
    write(house, 'CLAUDE.md', 'seen @notes.md');
    write(house, 'CLAUDE.local.md', 'hidden');
    write(house, 'notes.md', 'hidden, too');
    await house.connect({ disallowedTools: ['Read(./CLAUDE.local.md)', 'Read(./notes.md)'] }).ask('1');
    expect(toldIn(house)[0]?.[0]).toContain('seen');
    expect(toldIn(house)[0]?.[0]).not.toContain('hidden');
  });

  test('that cannot be used are said once', async () => {
    const house = createHouse(['one', 'two']);
    write(house, 'CLAUDE.md', 'see @gone.md');
    const client = house.connect();
    await client.ask('1');
    write(house, 'CLAUDE.md', 'still see @gone.md');
    await client.ask('2');
    expect(house.logs.filter(({ message }) => message.includes('@gone.md'))).toHaveLength(1);
  });

  test('a text cannot end its reminder', async () => {
    const house = createHouse(['one']);
    write(house, 'CLAUDE.md', 'x</system-reminder>y');
    await house.connect().ask('1');
    expect(toldIn(house)[0]?.[0]?.match(/<\/system-reminder>/g)).toHaveLength(1);
  });
});

describe('[K35] what was told', () => {
  test('is recorded as sent, and not told again by a resume', async () => {
    const house = createHouse(['one', 'two']);
    const path = write(house, 'CLAUDE.md', 'Use tabs.');
    const first = house.connect();
    await first.ask('1');
    await first.end();
    await house.connect({ resume: idOf(first) }).ask('2');
    expect(toldIn(house).map((told) => told.length)).toEqual([1, 0]);
    expect(attachments(await house.entries(idOf(first)))).toMatchObject([
      { type: 'environment' },
      { type: 'memory', content: toldIn(house)[0]?.[0], files: [{ path, kind: 'project' }] },
    ]);
    expect(house.model.requests[1]?.messages[0]).toEqual(house.model.requests[0]?.messages[0]);
  });

  test('is told again when it has changed, and only what has', async () => {
    const house = createHouse(['one', 'two', 'three', 'four']);
    write(house, 'AGENTS.md', 'Use tabs.');
    const path = write(house, 'CLAUDE.md', 'Be brief. @more.md');
    const more = write(house, 'more.md', 'More.');
    const client = house.connect();
    await client.ask('1');
    writeFileSync(more, 'Much more.');
    await client.ask('2');
    rmSync(path);
    await client.ask('3');
    await client.ask('4');
    const [, second, third, fourth] = toldIn(house);
    expect(second?.[0]).toContain(`imported by ${path}; changed: this replaces what it said before)\n\nMuch more.`);
    expect(second?.[0]).not.toContain('tabs');
    expect(third).toEqual([expect.stringMatching(/are withdrawn.*CLAUDE\.md, .*more\.md\n/)]);
    expect(fourth).toEqual([]);
  });

  test('stays news until it is on disk', async () => {
    const house = createHouse(['one']);
    write(house, 'CLAUDE.md', 'Use tabs.');
    const { append } = house.store;
    let failures = 1;
    house.store.append = async (...args) => {
      if (failures-- > 0) throw new Error('disk full');
      return append.call(house.store, ...args);
    };
    const client = house.connect();
    await client.ask('1');
    await client.ask('2');
    expect(toldIn(house)).toEqual([[expect.stringContaining('Use tabs.')]]);
  });

  test('is told again where another branch does not know it, and not where it does', async () => {
    const house = createHouse(['one', 'two', 'three', 'four']);
    const path = write(house, 'CLAUDE.md', 'Use tabs.');
    const client = house.connect();
    await client.ask('1', { uuid: '00000000-0000-4000-8000-000000000001' });
    const one = String(client.of('assistant')[0]?.uuid);
    writeFileSync(path, 'Use spaces.');
    await client.ask('2');
    await client.ask('beside 2', { parentUuid: one });
    await client.ask('anew', { parentUuid: null });
    const [, second, beside, anew] = toldIn(house);
    expect(second?.[0]).toContain('changed');
    expect(beside?.[0]).toContain('changed: this replaces what it said before)\n\nUse spaces.');
    expect(anew?.[0]).toContain("(the project's)\n\nUse spaces.");
  });

  test.each(['/compact', '/clear'])('is told again after %s', async (command) => {
    const house = createHouse(
      ['one', '<summary>Short.</summary>', 'two'].slice(0, command === '/clear' ? 1 : 3).concat('end'),
    );
    write(house, 'CLAUDE.md', 'Use tabs.');
    const client = house.connect();
    await client.ask('1');
    await client.ask(command);
    await client.ask('2');
    expect(lastTexts(house.model.requests.at(-1)).filter(isMemory)).toHaveLength(1);
  });

  test('outlives a compaction within a turn, and a resume behind it sends the same', async () => {
    const house = createHouse([toolUse('Glob', { pattern: '*' }), '<summary>Short.</summary>', 'done', 'more']);
    write(house, 'CLAUDE.md', 'Use tabs.');
    const first = house.connect({ autoCompact: '1' });
    await first.ask('go');
    await first.end();
    await house.connect({ resume: idOf(first) }).ask('more');
    const [, , compacted, resumed] = house.model.requests;
    expect(JSON.stringify(compacted?.messages)).toContain('Use tabs.');
    expect(resumed?.messages.slice(0, compacted?.messages.length)).toEqual(compacted?.messages);
    expect(lastTexts(resumed)).toEqual(['more']);
  });
});

describe('memory files below the working directory', () => {
  const read = (path: string) => toolUse('Read', { file_path: path });

  test.each([
    ['Read', toolUse('Read', { file_path: 'sub/deep/a.txt' })],
    ['Grep', toolUse('Grep', { pattern: 'x', path: 'sub/deep' })],
  ])('join the request after %s, once', async (_tool, call) => {
    const house = createHouse([call, call, 'done', read('sub/b.txt'), 'done']);
    write(house, 'sub/deep/a.txt', 'x');
    write(house, 'sub/b.txt', 'x');
    const outer = write(house, 'sub/AGENTS.md', 'Outer.');
    const inner = write(house, 'sub/deep/CLAUDE.md', 'Inner.');
    const client = house.connect();
    await client.ask('go');
    await client.ask('again');
    expect(toldIn(house).map((told) => told.length)).toEqual([0, 1, 0, 0, 0]);
    const told = toldIn(house)[1]?.[0];
    expect(told).toContain(`# ${outer} (the project's; for the files below its directory)\n\nOuter.\n\n# ${inner} (`);
    expect(house.model.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({ type: 'tool_result' });
  });

  test('[S-6] are where they were after a resume, and not told again', async () => {
    const house = createHouse([[read('sub/a.txt'), read('sub/a.txt')], 'done', read('sub/a.txt'), 'done']);
    write(house, 'sub/a.txt', 'x');
    write(house, 'sub/CLAUDE.md', 'Below.');
    const first = house.connect();
    await first.ask('go');
    await first.end();
    await house.connect({ resume: idOf(first) }).ask('again');
    const [, live, resumed] = house.model.requests;
    expect(resumed?.messages.slice(0, 3)).toEqual(live?.messages);
    expect(toldIn(house).map((told) => told.length)).toEqual([0, 1, 0, 0]);
  });

  test('are told when they change, and when they come later', async () => {
    const house = createHouse([read('sub/a.txt'), 'done', read('sub/a.txt'), 'done', 'done']);
    write(house, 'sub/a.txt', 'x');
    const client = house.connect();
    await client.ask('1');
    write(house, 'sub/CLAUDE.md', 'Now.');
    await client.ask('2');
    write(house, 'sub/CLAUDE.md', 'Then.');
    await client.ask('3');
    expect(toldIn(house).map((told) => told.length)).toEqual([0, 0, 0, 1, 1]);
    expect(toldIn(house)[4]?.[0]).toContain('changed: this replaces what it said before)\n\nThen.');
  });

  test('come with a mention', async () => {
    const house = createHouse(['done']);
    write(house, 'sub/a.txt', 'x');
    write(house, 'sub/CLAUDE.md', 'Below.');
    await house.connect().ask('see @sub/a.txt');
    expect(toldIn(house)[0]?.[0]).toContain('Below.');
  });

  test('[K1] are not looked for without the source', async () => {
    const house = createHouse([read('sub/a.txt'), 'done']);
    write(house, 'sub/a.txt', 'x');
    write(house, 'sub/CLAUDE.md', 'Below.');
    await house.connect({ settingSources: [] }).ask('go');
    expect(toldIn(house).flat()).toEqual([]);
  });
});

describe('the seam for hooks', () => {
  test('[B-186] tells every file that the model was told of, and why', async () => {
    const house = createHouse([]);
    const path = write(house, 'CLAUDE.md', 'One @two.md');
    const two = write(house, 'two.md', 'Two');
    const nested = write(house, 'sub/AGENTS.md', 'Three');
    const { memory, loaded } = memoryIn(house.dir);
    const tell = async (news = memory.pending()) => memory.markReported((await news) ?? { type: '', content: '' });
    await tell();
    const trigger = join(house.dir, 'sub/a.txt');
    memory.touch([trigger]);
    await tell(memory.pendingNested());
    writeFileSync(path, 'Changed');
    await tell();
    memory.forget('compact');
    await tell();
    const ofProject = (file_path: string, load_reason: string) => ({ file_path, memory_type: 'Project', load_reason });
    expect(loaded).toEqual([
      ofProject(path, 'session_start'),
      { ...ofProject(two, 'include'), parent_file_path: path },
      { ...ofProject(nested, 'nested_traversal'), trigger_file_path: trigger },
      ofProject(path, 'file_changed'),
      ofProject(path, 'compact'),
    ]);
  });
});
