import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text, toolUse } from '../../src/testing/index.ts';
import { asOrdinaryUser } from '../support/as-user.ts';
import { CLI, runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { ask, branched, ID, json, put, SEED, said, sessions } from '../support/session-commands.ts';
import { readEntries } from '../support/session-files.ts';

describe('help and mistakes', () => {
  test('without a word, and everywhere with --help', async () => {
    const place = await makePlace();
    const help = await sessions(place);
    expect(help).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Usage: heddle sessions COMMAND'),
    });
    const commands = [...help.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => String(name));
    expect(commands).toHaveLength(15);
    for (const name of commands) {
      const { code, stdout } = await sessions(place, name, '--help');
      expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(`Usage: heddle sessions ${name}`)]);
      expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
    expect(existsSync(place.home)).toBe(false);
  });

  test.each([
    [['frobnicate'], /unknown command 'sessions frobnicate': use one of list, show/],
    [['list', 'x'], /unexpected argument 'x'/],
    [['list', '--limit', 'x'], /'--limit' needs a whole number/],
    [['list', '--home', '/nowhere/at/all'], /--home is not a directory/],
    [['list', '--home', ''], /'--home' needs a directory/],
    [['export', ID, '--leaf', 'm1', '--all-branches'], /--leaf and --all-branches exclude each other/],
    [['archive'], /SESSION is missing[\s\S]*Usage: heddle sessions archive /],
    [['show'], /There are no sessions of .*heddle sessions list --all/],
    [['show', 'nobody'], /No session has the title 'nobody'.*looked in/],
    [['show', ID], /No conversation found with session ID/],
    [['export', 'x', '--md', '--json'], /exclude each other/],
    [['delete'], /SESSION is missing/],
    [['search', '--regex', '('], /not a regular expression/],
  ])('%j says what to do', async (args, message) => {
    const place = await makePlace();
    expect(await sessions(place, ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

describe('list', () => {
  test('[SES-34] newest first, of this directory; --all, --limit, --offset', async () => {
    const place = await makePlace(() => 'ok');
    const first = await ask(place, 'first words');
    const second = await ask(place, 'second words');
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    await runCli(['-p', 'third words'], { place, cwd: elsewhere });
    await sessions(place, 'rename', first.sessionId, 'A title');
    await sessions(place, 'tag', first.sessionId, 'kept');

    const { code, stdout, stderr } = await sessions(place, 'list');
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows[0]).toMatch(
      new RegExp(`^${first.sessionId}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  1  \\$0\\.00  #kept  A title$`),
    );
    expect(rows[1]).toMatch(new RegExp(`^${second.sessionId} .*second words$`));
    expect(rows).toHaveLength(2);

    const all = await json(place, 'list', '--all');
    expect(all.map((each: { summary: string }) => each.summary)).toEqual(['A title', 'third words', 'second words']);
    expect(all[0]).toMatchObject({ sessionId: first.sessionId, customTitle: 'A title', tag: 'kept', cwd: place.cwd });
    const page = await sessions(place, 'list', '--all', '--limit', '1', '--offset', '1');
    expect(page.stdout).toContain('third words');
    expect(page.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(page.stderr).toContain('--offset 2');
  });

  test('[P2] nothing there: says where it looked, and makes nothing', async () => {
    const place = await makePlace();
    expect(await sessions(place, 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(place.home),
    });
    expect(existsSync(place.home)).toBe(false);
  });
});

describe('tree', () => {
  test('[SES-40] the branches of the seed', async () => {
    const place = await makePlace();
    put(place, ID, SEED);
    const { code, stdout, stderr } = await sessions(place, 'tree', '实验会话');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        `实验会话  ${ID}`,
        '2 branches · 3 turns',
        '',
        '● Message1 · 1 turn · m1',
        '├─○ Message3 · 1 turn · m4',
        '└─● 用户尝试了另一个方案 · 1 turn · m6 ◀ active',
        '',
      ].join('\n'),
    );
    expect(await json(place, 'tree', ID)).toMatchObject({ leaf_uuid: 'm6', leaves: ['m4', 'm6'], title: '实验会话' });
  });

  test('[SES-40, SES-29] of a session that was run: turns and what they have cost', async () => {
    const { place, sessionId } = await branched();
    const { stdout } = await sessions(place, 'tree', sessionId.slice(0, 8));
    const [, facts, , trunk, rome, oslo, ...rest] = stdout.split('\n');
    expect(facts).toMatch(/^2 branches · 3 turns · \$\d+\.\d{4}$/);
    expect(trunk).toMatch(/^● plan a trip · 1 turn · \$\d+\.\d{4} · \w{8}$/);
    expect(rome).toMatch(/^├─○ to Rome · 1 turn · \$\d+\.\d{4} · \w{8}$/);
    expect(oslo).toMatch(/^└─● to Oslo · 1 turn · \$\d+\.\d{4} · \w{8} ◀ active$/);
    expect(rest).toEqual(['']);
  });
});

describe('show', () => {
  test('the active branch, or another; tools with what they said', async () => {
    const long = Array.from({ length: 30 }, (_, at) => `row ${at}`).join('; ');
    const place = await makePlace([
      [text('Looking.'), toolUse('Bash', { command: 'for i in 1 2 3 4 5 6 7 8 9; do echo "row $i"; done' })],
      `Nine rows. ${long}`,
    ]);
    const { sessionId } = await ask(place, 'count the rows');
    const { stdout } = await sessions(place, 'show', sessionId);
    expect(stdout).toMatch(/^You {2}\S+ \S+ {2}\S+\ncount the rows\n\nAgent .*\nLooking\.\n\n⏺ Bash .*\n {2}row 1\n/);
    expect(stdout).toContain('  … 4 more lines\n');
    expect(stdout).toContain(long);
    expect((await sessions(place, 'show', sessionId, '--all')).stdout).toContain('  row 9\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colours where there is no terminal
    expect(stdout).not.toMatch(/\u001b/);
  });

  test('[SES-14] --leaf chooses a branch, --full shows what was compacted', async () => {
    const place = await makePlace();
    const boundary = { type: 'system', subtype: 'compact_boundary', content: 'x', parentUuid: null };
    const summed = { ...JSON.parse(said('m8', 'm7', 'We talked.')), isCompactSummary: true };
    const compacted = [{ ...boundary, uuid: 'm7', logicalParentUuid: 'm6' }, summed].map((each) =>
      JSON.stringify(each),
    );
    put(place, ID, `${SEED}${compacted.join('\n')}\n${said('m9', 'm8', 'Message9')}`);
    const active = (await sessions(place, 'show', ID)).stdout;
    expect(active).toMatch(/compacted[\s\S]*We talked\.[\s\S]*Message9/);
    expect(active).not.toContain('Message5');
    const full = (await sessions(place, 'show', ID, '--full')).stdout;
    expect(full).toMatch(/Message1[\s\S]*Message5[\s\S]*Message6[\s\S]*We talked[\s\S]*Message9/);
    const other = (await sessions(place, 'show', ID, '--leaf', 'm4')).stdout;
    expect(other).toMatch(/Message1[\s\S]*Message2[\s\S]*Message3[\s\S]*Message4/);
    expect(other).not.toContain('Message9');
  });

  test('a reader that has seen enough is no crash', async () => {
    const place = await makePlace();
    put(place, ID, Array.from({ length: 20_000 }, (_, at) => said(`m${at}`, null, 'x'.repeat(50))).join(''));
    const command = `'${process.execPath}' '${CLI}' sessions tree ${ID} | head -1`;
    const out = execFileSync('bash', ['-c', `${command} 2>&1`], { env: place.env, cwd: place.cwd, encoding: 'utf8' });
    expect(out.split('\n')).toHaveLength(2);
  });
});

describe('search', () => {
  test('what was said, in all directories; keys and ids do not count', async () => {
    const place = await makePlace([
      [toolUse('Bash', { command: 'echo "a needle in the output"' })],
      'Nothing "quoted" here.',
      'ok',
    ]);
    const { sessionId } = await ask(place, 'find the Needle\nplease');
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    await runCli(['-p', 'no such thing; needle'], { place, cwd: elsewhere });

    const hits = await json(place, 'search', 'needle');
    expect(hits.map((hit: { role: string; match: string }) => [hit.role, hit.match])).toEqual([
      ['user', 'needle'],
      ['user', 'Needle'],
      ['tool call', 'needle'],
      ['tool result', 'needle'],
    ]);
    expect(hits[1]).toMatchObject({ sessionId, before: 'find the ', after: '\nplease' });
    expect(await json(place, 'search', 'Needle')).toHaveLength(1);
    expect(await json(place, 'search', '--here', 'needle')).toHaveLength(3);
    expect(await json(place, 'search', 'nothing "quoted" here')).toHaveLength(1);
    expect(await json(place, 'search', '--regex', '^please$')).toHaveLength(1);
    expect(await json(place, 'search', 'the needle\nplease')).toHaveLength(1);
    for (const key of ['parentUuid', 'tool_use', sessionId]) {
      expect(await sessions(place, 'search', key)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('nothing was found'),
      });
    }
    const { stdout } = await sessions(place, 'search', 'needle');
    expect(stdout).toContain(`${sessionId}  `);
    expect(stdout).toContain('  user        find the Needle please');
    const cut = await sessions(place, 'search', '--limit', '2', 'needle');
    expect(cut.stderr).toContain('there are more hits');
  });

  test('damaged lines, files with zero bytes, and subagents', async () => {
    const place = await makePlace();
    const file = put(
      place,
      ID,
      `\0\0\0\n${said('m1', null, 'first needle')}{"torn${said('m2', 'm1', 'second needle')}`,
    );
    const folder = join(file.replace('.jsonl', ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-a1.jsonl'), said('m3', null, 'third needle'));
    const hits: { uuid: string; agentId?: string; sessionId: string }[] = await json(place, 'search', 'needle');
    expect(hits.map(({ uuid, agentId, sessionId }) => [uuid, agentId, sessionId]).sort()).toEqual([
      ['m1', undefined, ID],
      ['m2', undefined, ID],
      ['m3', 'a1', ID],
    ]);
  });
});

describe('export', () => {
  test('only the branch that goes on is told as active', async () => {
    const place = await makePlace();
    put(place, ID, SEED);
    expect((await json(place, 'export', ID, '--leaf', 'm4')).branches).toMatchObject([{ active: false }]);
    expect((await json(place, 'export', ID, '--leaf', 'm6')).branches).toMatchObject([{ active: true }]);
  });

  test('Markdown and JSON, to stdout or into a new file', async () => {
    const { place, sessionId } = await branched();
    const { stdout } = await sessions(place, 'export', sessionId);
    expect(stdout).toMatch(/^# to Oslo\n\n- session: `/);
    expect(stdout).toMatch(/### You\n\nplan a trip\n\n### Agent\n/);
    expect(stdout).not.toContain('Rome');
    const all = await sessions(place, 'export', sessionId, '--all-branches');
    expect(all.stdout).toMatch(/## Conversation[\s\S]*to Oslo[\s\S]*## Branch up to [\s\S]*to Rome/);

    const data = await json(place, 'export', sessionId, '--all-branches');
    expect(
      data.branches.map(({ active, messages }: { active: boolean; messages: object[] }) => [active, messages.length]),
    ).toEqual([
      [true, 4],
      [false, 4],
    ]);
    expect(data.branches[0].messages[0]).toMatchObject({
      type: 'user',
      session_id: sessionId,
      message: { content: 'plan a trip' },
    });

    const output = join(place.cwd, 'out.md');
    expect(await sessions(place, 'export', sessionId, '--output', 'out.md')).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(output, 'utf8')).toBe(stdout);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    writeFileSync(output, 'mine');
    expect(await sessions(place, 'export', sessionId, '--output', 'out.md')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--force overwrites it'),
    });
    expect(readFileSync(output, 'utf8')).toBe('mine');
    await sessions(place, 'export', sessionId, '--output', 'out.md', '--force');
    expect(readFileSync(output, 'utf8')).toBe(stdout);
  });
});

describe('--home', () => {
  /** Every file and folder with its content, mode and time. */
  function fingerprint(root: string): string {
    const names = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })].sort();
    const facts = names.map((name) => {
      const { mode, mtimeMs, ctimeMs, size } = lstatSync(join(root, name));
      const content = lstatSync(join(root, name)).isFile() ? readFileSync(join(root, name)) : '';
      return [name, mode, mtimeMs, ctimeMs, size, createHash('sha256').update(content).digest('hex')];
    });
    return JSON.stringify(facts);
  }

  test('[P2] reading another home, also a read-only one, leaves it byte for byte as it is', async () => {
    const source = await branched();
    appendFileSync(source.file, '{"torn');
    const place = await makePlace();
    const env = { HEDDLE_HOME: join(place.root, 'unused') };
    const home = source.place.home;
    for (const name of ['', ...readdirSync(home, { recursive: true, encoding: 'utf8' })]) {
      const path = join(home, name);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o555 : 0o444);
    }
    for (const folder of [source.place.root, dirname(home), place.root]) chmodSync(folder, 0o755);
    const before = fingerprint(home);
    const commands = [
      ['list', '--all'],
      ['list', '--all', '--json'],
      ['show', source.sessionId, '--full'],
      ['tree', source.sessionId, '--messages'],
      ['tree', source.sessionId, '--json'],
      ['search', 'Oslo'],
      ['search', '--regex', 'O(slo)'],
      ['export', source.sessionId, '--all-branches'],
      ['export', source.sessionId, '--json'],
      ['fsck', '--all'],
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await runCli(['sessions', ...args, '--home', home], { place, env });
      expect([args[0], code, stderr.includes('EACCES')]).toEqual([args[0], args[0] === 'fsck' ? 1 : 0, false]);
      expect(stdout).not.toBe('');
    }
    expect(fingerprint(home)).toBe(before);
    expect(existsSync(env.HEDDLE_HOME)).toBe(false);
    await asOrdinaryUser(place.root, async () => {
      const args = ['sessions', 'rename', source.sessionId, 'x', '--home', home];
      expect(await runCli(args, { place, env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not writable'),
      });
    });
    expect(fingerprint(home)).toBe(before);
    for (const name of ['', ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
      chmodSync(join(home, name), 0o755);
  });

  test('commands that change something act where they are told to', async () => {
    const source = await branched();
    const place = await makePlace();
    const { code } = await sessions(place, 'rename', source.sessionId, 'Renamed', '--home', source.place.home);
    expect(code).toBe(0);
    expect(readEntries(source.file).at(-1)).toMatchObject({ type: 'custom-title', customTitle: 'Renamed' });
    expect(existsSync(place.home)).toBe(false);
  });
});
