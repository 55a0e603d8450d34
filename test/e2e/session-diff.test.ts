import { expect, test } from 'vitest';
import { text, toolUse } from '../../src/testing/index.ts';
import { makePlace } from '../support/place.ts';
import { ask, branched, json, sessions } from '../support/session-commands.ts';

test('two branches of a session: what both begin with, and what each has alone', async () => {
  const { place, sessionId, at } = await branched();
  const { leaves } = await json(place, 'tree', sessionId);
  const { leaf_uuid: active } = await json(place, 'tree', sessionId);
  const other = leaves.find((leaf: string) => leaf !== active);
  const { code, stdout, stderr } = await sessions(place, 'diff', sessionId, `#${other}`);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('2 messages in common');
  const [, a = '', b = ''] = stdout.split(/^only in [AB]/m);
  expect(a).toContain('to Oslo');
  expect(a).not.toContain('to Rome');
  expect(b).toContain('to Rome');
  expect(await json(place, 'diff', sessionId, `#${other}`)).toMatchObject({
    common: { messages: 2, last_uuid: at },
    a: { session_id: sessionId, turns: 1 },
    b: { session_id: sessionId, leaf_uuid: other, turns: 1 },
  });
});

test('a fork and its source have the messages in common that it has copied; files are told apart', async () => {
  const write = (name: string) => [text('I write.'), toolUse('Write', { file_path: `/${name}`, content: 'x' })];
  const place = await makePlace(['Hello.', write('one.txt'), 'Done.', write('two.txt'), 'Done, too.']);
  const { sessionId } = await ask(place, 'plan a trip');
  const forked = (await sessions(place, 'fork', sessionId)).stdout.trim();
  await ask(place, 'write one', '--resume', sessionId);
  await ask(place, 'write two', '--resume', forked);
  const { common, a, b } = await json(place, 'diff', sessionId, forked);
  expect(common.messages).toBe(2);
  expect([a.files_changed, b.files_changed]).toEqual([['/one.txt'], ['/two.txt']]);
  const { stdout } = await sessions(place, 'diff', sessionId, forked);
  expect(stdout).toContain('  A    /one.txt\n    B  /two.txt\n');
});

test('what is no session and no message is refused with a sentence', async () => {
  const { place, sessionId } = await branched();
  const none = await sessions(place, 'diff', sessionId, '#ffffffff');
  expect([none.code, none.stderr.includes("There is no message 'ffffffff'")]).toEqual([1, true]);
  const empty = await sessions(place, 'diff', sessionId, `${sessionId}#`);
  expect([empty.code, empty.stderr.includes('SESSION#MESSAGE')]).toEqual([1, true]);
  expect((await sessions(place, 'diff', sessionId)).code).toBe(1);
});
