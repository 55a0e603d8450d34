import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findSession } from '../../../src/sessions/stored/list-sessions.ts';
import type { HeddleError } from '../../../src/wire/errors.ts';
import { PROJECT, sessionHome, title } from '../session-home.ts';
import { result, user } from '../support.ts';

const ID = 'abcdef01-0000-4000-8000-000000000000';
const OTHER = 'abcd9999-0000-4000-8000-000000000000';

test('finds an id in any project, that of the own one first', async () => {
  const { home, session } = sessionHome();
  const elsewhere = session([user('u', 'x')], { project: '/w/other', sessionId: ID });
  expect(await findSession({ home, name: ID, project: PROJECT })).toEqual(elsewhere);
  const own = session([user('u', 'x')], { sessionId: ID, age: 100 });
  expect(await findSession({ home, name: ID, project: PROJECT })).toEqual(own);
  expect(await findSession({ home, name: ID })).toEqual(elsewhere);
});

test('an id is found without reading any file', async (context) => {
  if (!existsSync('/proc/self/io')) return context.skip();
  const { home, session } = sessionHome();
  for (let i = 0; i < 50; i++) session([user('u', 'x'.repeat(20_000))], { project: `/w/${i}` });
  const { path } = session([user('u', 'x')], { project: '/w/last', sessionId: ID });
  const before = readCalls();
  expect((await findSession({ home, name: ID, project: PROJECT })).path).toBe(path);
  expect(readCalls() - before).toBeLessThan(10);
});

test('what is too short to begin an id is said to be', async () => {
  const { home, session } = sessionHome();
  session([user('u', 'x')], { sessionId: ID });
  await expect(findSession({ home, name: 'abc' })).rejects.toThrow('4 characters or more');
  await expect(findSession({ home, name: 'abce' })).rejects.toThrow('or an id that begins so');
});

test('of very many sessions with one title only some are listed, and all are among the facts', async () => {
  const { home, session } = sessionHome();
  for (let i = 0; i < 50; i++) session([title('Same')]);
  const error: HeddleError = await findSession({ home, name: 'same' }).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'session_ambiguous' });
  expect(error.message.split('\n')).toHaveLength(22);
  expect(error.facts.sessions).toHaveLength(50);
});

test('finds the beginning of an id, when it is one of only one session', async () => {
  const { home, session } = sessionHome();
  const found = session([user('u', 'x')], { project: '/w/other', sessionId: ID });
  expect(await findSession({ home, name: 'abcdef01' })).toEqual(found);
  expect(await findSession({ home, name: 'ABCD', project: PROJECT })).toEqual(found);
  await expect(findSession({ home, name: 'abc' })).rejects.toMatchObject({ code: 'session_not_found' });
});

test('the beginning of several ids is refused, and they are listed with their titles', async () => {
  const { home, session } = sessionHome();
  session([user('u', 'x'), title('Red\u001b[31m one')], { sessionId: ID });
  session([user('u', 'the other prompt')], { sessionId: OTHER });
  const error = await findSession({ home, name: 'abcd' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'session_ambiguous' });
  const { message } = error as Error;
  for (const part of [ID, OTHER, 'Red', 'the other prompt']) expect(message).toContain(part);
  expect(message).not.toContain('\u001b');
});

test('a session that went on in another folder is one session', async () => {
  const { home, session } = sessionHome();
  session([user('u', 'x')], { project: '/w/one', sessionId: ID, age: 5 });
  const newer = session([user('u', 'x')], { project: '/w/two', sessionId: ID });
  expect(await findSession({ home, name: 'abcdef' })).toEqual(newer);
});

test('finds a title: as it is written, then whatever its case; the own project first', async () => {
  const { home, session } = sessionHome();
  const upper = session([user('u', 'x'), title('Fix The Parser')], { project: '/w/a' });
  const lower = session([user('u', 'x'), title('fix the parser')], { project: '/w/b' });
  expect(await findSession({ home, name: 'fix the parser' })).toEqual(lower);
  expect(await findSession({ home, name: 'Fix The Parser' })).toEqual(upper);
  expect(await findSession({ home, name: 'FIX THE PARSER', project: '/w/a' })).toEqual(upper);
  await expect(findSession({ home, name: 'FIX THE PARSER' })).rejects.toMatchObject({ code: 'session_ambiguous' });
});

test('a title that was given long ago is found, one that was replaced is not', async () => {
  const { home, session } = sessionHome();
  const filler = Array.from({ length: 300 }, (_, i) => result(`r${i}`, `t${i}`, { toolUseResult: 'x'.repeat(1000) }));
  const far = session([title('replaced'), user('u', 'x'), title('given long ago'), ...filler]);
  expect(await findSession({ home, name: 'given long ago' })).toEqual(far);
  await expect(findSession({ home, name: 'replaced' })).rejects.toMatchObject({ code: 'session_not_found' });
});

test('finds a file by its path; one under another name says itself which session it is', async () => {
  const { home, session } = sessionHome();
  const { path } = session([user('u', 'x', { sessionId: ID })], { sessionId: ID });
  const copy = join(home, 'copy.jsonl');
  copyFileSync(path, copy);
  expect(await findSession({ home, name: path })).toEqual({ sessionId: ID, path });
  expect(await findSession({ home, name: './copy.jsonl', cwd: home })).toEqual({ sessionId: ID, path: copy });
  await expect(findSession({ home, name: 'copy.jsonl' })).rejects.toMatchObject({ code: 'session_not_found' });
});

test('an id that is nowhere is a typed error that says where it was looked for', async () => {
  const { home, session } = sessionHome();
  const { path } = session([user('u', 'x')]);
  const error = await findSession({ home, name: ID, project: PROJECT }).catch((thrown: unknown) => thrown);
  const looked = [dirname(path), join(home, 'projects')];
  expect(error).toMatchObject({ code: 'session_not_found', facts: { looked } });
  expect((error as Error).message).toMatch(new RegExp(`^No conversation found with session ID: ${ID}`));
  for (const place of looked) expect((error as Error).message).toContain(place);
});

function readCalls(): number {
  return Number(/^syscr: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
