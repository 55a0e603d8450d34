import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listSessions, sessionSummary } from '../../../src/sessions/stored/list-sessions.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { PROJECT, sessionHome, tagged, title } from '../session-home.ts';
import { assistant, result, user } from '../support.ts';

const ENVELOPE = { cwd: PROJECT, gitBranch: 'main', sessionId: 's' };

function talk(prompts: readonly string[]): Entry[] {
  return prompts.flatMap((prompt, i) => [
    user(`u${i}`, prompt, { at: `2026-01-01T00:00:0${i}.000Z`, ...ENVELOPE }),
    assistant(`a${i}`, `answer ${i}`, { parent: `u${i}`, ...ENVELOPE }),
  ]);
}

/** About 2 KB. */
function filler(i: number): Entry {
  return result(`f${i}`, `t${i}`, { toolUseResult: 'x'.repeat(1900), ...ENVELOPE });
}

test('[SES-34] [B-093] lists a project newest first, in pages', async () => {
  const { home, session } = sessionHome();
  const ids = Array.from({ length: 1000 }, (_, i) => session([user('u', `prompt ${i}`)], { age: i }).sessionId);
  session([user('u', 'elsewhere')], { project: '/w/other' });
  const all = await listSessions({ home, project: PROJECT });
  expect(all.map(({ sessionId }) => sessionId)).toEqual(ids);
  const page = await listSessions({ home, project: PROJECT, limit: 10, offset: 990 });
  expect(page.map(({ summary }) => summary)).toEqual(ids.slice(990).map((_, i) => `prompt ${990 + i}`));
  expect(await listSessions({ home, project: PROJECT, offset: 1000 })).toEqual([]);
});

test('[B-093] without a project, the sessions of all projects', async () => {
  const { home, session } = sessionHome();
  session([user('u', 'one')], { project: '/w/one', age: 2 });
  session([user('u', 'two')], { project: '/w/two', age: 1 });
  expect((await listSessions({ home })).map(({ summary }) => summary)).toEqual(['two', 'one']);
  const some = await listSessions({ home, project: ['/w/one', '/w/three'] });
  expect(some.map(({ summary }) => summary)).toEqual(['one']);
});

test('a home without sessions has an empty list; a limit that is no number is refused', async () => {
  const { home } = sessionHome();
  expect(await listSessions({ home })).toEqual([]);
  await expect(listSessions({ home, limit: -1 })).rejects.toMatchObject({ code: 'invalid_option' });
});

test('[B-094] a summary says what the file tells', async () => {
  const { home, session } = sessionHome();
  const { sessionId, path } = session([...talk(['first things', 'last things']), title('A title'), tagged('release')]);
  const expected = {
    sessionId,
    path,
    summary: 'A title',
    customTitle: 'A title',
    tag: 'release',
    firstPrompt: 'first things',
    lastPrompt: 'last things',
    gitBranch: 'main',
    cwd: PROJECT,
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
    lastModified: Date.parse('2026-01-01T00:00:00Z'),
    fileSize: readFileSync(path).length,
  };
  expect(await listSessions({ home })).toEqual([expected]);
  expect(sessionSummary(path)).toEqual(expected);
});

test('[SES-35] of two titles and tags the last one wins, and an empty tag takes it away', async () => {
  const { home, session } = sessionHome();
  session([title('old'), tagged('x'), ...talk(['hi']), title('new'), tagged('')]);
  const [found] = await listSessions({ home });
  expect(found).toMatchObject({ customTitle: 'new', summary: 'new' });
  expect(found).not.toHaveProperty('tag');
});

test('without a title the last prompt stands for the session, as recorded or as asked', async () => {
  const { home, session } = sessionHome();
  session([...talk(['first', 'second'])], { age: 0 });
  session([...talk(['first']), { type: 'last-prompt', lastPrompt: 'recorded', leafUuid: 'a0', sessionId: 's' }], {
    age: 1,
  });
  session([{ type: 'last-prompt', lastPrompt: 'older', leafUuid: 'a0', sessionId: 's' }, ...talk(['newer'])], {
    age: 2,
  });
  expect((await listSessions({ home })).map(({ summary }) => summary)).toEqual(['second', 'recorded', 'newer']);
});

test('what the user did not write is no prompt', async () => {
  const { home, session } = sessionHome();
  session([
    user('m', 'told by the runtime', { isMeta: true }),
    user('s', 'a subagent was asked', { isSidechain: true }),
    user(
      'c',
      '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>',
    ),
    user('o', '<local-command-stdout>done</local-command-stdout>'),
    user('i', [{ type: 'text', text: '[Request interrupted by user]' }]),
    user('k', 'a summary', { isCompactSummary: true }),
    result('r', 't1'),
  ]);
  expect(await listSessions({ home })).toMatchObject([{ firstPrompt: '/review src', lastPrompt: '/review src' }]);
});

test('a prompt is shown on one line and cut between characters', async () => {
  const { home, session } = sessionHome();
  session([user('u', `a\n  b\t${'😀'.repeat(500)}`)]);
  const [found] = await listSessions({ home });
  expect(found?.summary).toMatch(/^a b (😀)+…$/u);
  expect(found?.summary.length).toBeLessThanOrEqual(201);
});

test.each([5_000, 100_000, 1_000_000])('a first prompt of %d characters is recognised', async (length) => {
  const { home, session } = sessionHome();
  session([user('u', `look at this "log"\n${'é\\'.repeat(length / 2)}`)]);
  session([user('u', [{ type: 'text', text: `look at this "log"\n${'é'.repeat(length)}` }])]);
  for (const { summary } of await listSessions({ home })) expect(summary).toMatch(/^look at this "log" é/);
});

test('[SES-36] a list reads a bounded part of each file, and only of those on the page', async (context) => {
  if (!existsSync('/proc/self/io')) return context.skip();
  const { home, session } = sessionHome();
  const paths = Array.from({ length: 50 }, (_, i) => session(talk(['hi']), { age: i }).path);
  for (const path of paths) truncateSync(path, 100_000_000);
  const before = bytesRead();
  expect(await listSessions({ home, limit: 10 })).toHaveLength(10);
  expect(bytesRead() - before).toBeLessThan(10 * 160 * 1024);
});

test('[SES-35] a title far from the end is found for one session, in bounded memory', () => {
  const { session } = sessionHome();
  const { path } = session([title('far away'), ...talk(['hi']), ...Array.from({ length: 500 }, (_, i) => filler(i))]);
  expect(sessionSummary(path)).toMatchObject({ customTitle: 'far away', lastPrompt: 'hi' });
});

test('a title in the last 16 KB is found in a list; farther away it is not, and the first prompt is shown', async () => {
  const { home, session } = sessionHome();
  session([...talk(['hi']), title('near enough'), ...Array.from({ length: 6 }, (_, i) => filler(i))]);
  expect(await listSessions({ home })).toMatchObject([{ customTitle: 'near enough', lastPrompt: 'hi' }]);
  const far = sessionHome();
  far.session([...talk(['hi']), title('too far'), ...Array.from({ length: 20 }, (_, i) => filler(i))]);
  const [listed] = await listSessions({ home: far.home });
  expect(listed).toMatchObject({ summary: 'hi' });
  expect(listed).not.toHaveProperty('customTitle');
});

test('what only looks like a title in a message is none', async () => {
  const { home, session } = sessionHome();
  const fake = { type: 'custom-title', customTitle: 'fake', sessionId: 's' };
  session([user('u', JSON.stringify(fake)), assistant('a', 'ok', { parent: 'u', toolUseResult: fake })]);
  const [found] = await listSessions({ home });
  expect(found).not.toHaveProperty('customTitle');
});

test('odd and unreadable files never break the list', async () => {
  const { home, session } = sessionHome();
  const good = session(talk(['good']), { age: 1 });
  const folder = dirname(good.path);
  const odd = (digit: string) => join(folder, `${digit.repeat(8)}-0000-4000-8000-000000000000.jsonl`);
  writeFileSync(odd('1'), '');
  writeFileSync(odd('2'), Buffer.from([0, 0xff, 0xfe, 0x0a, 0x7b]));
  mkdirSync(odd('3'));
  symlinkSync('/nowhere/at/all', odd('4'));
  execFileSync('mkfifo', [odd('5')]);
  writeFileSync(odd('6'), '{"type":"user"}\n[]\nnull\n{"type":"user","message":{"content":[null,{"type":1}]}}\n');
  writeFileSync(join(folder, 'notes.txt'), 'hello');
  writeFileSync(join(home, 'projects', 'a-file'), 'hello');
  const found = await listSessions({ home });
  expect(found.map(({ summary }) => summary).sort()).toEqual(['', '', '', 'good']);
});

test('a file that may not be read is listed with an empty summary', async () => {
  const { home, session } = sessionHome();
  chmodSync(session(talk(['secret'])).path, 0);
  await asOrdinaryUser(home, async () => {
    expect((await listSessions({ home })).map(({ summary }) => summary)).toEqual(['']);
  });
});

test('[K15] damaged lines at either end are passed over', async () => {
  const { home, session } = sessionHome();
  session([
    '\uFEFFgarbage\n\0\0\0\n',
    ...talk(['first']),
    `{"torn":"rec${JSON.stringify(title('glued'))}\n`,
    '{"parentUuid":"a0","type":"user","message":{"role":"user","cont',
  ]);
  expect(await listSessions({ home })).toMatchObject([{ firstPrompt: 'first', lastPrompt: 'first' }]);
});

test('there is no summary of a file that is not there; one that is no file is unreadable', () => {
  const { home } = sessionHome();
  expect(sessionSummary(join(home, 'none.jsonl'))).toBeNull();
  expect(() => sessionSummary(home)).toThrow(expect.objectContaining({ code: 'session_unreadable' }));
});

function bytesRead(): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
