import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse, resultsOf, tempDir } from '../support.ts';

const on: RunConfig = { fileCheckpointing: true, permissionMode: 'bypassPermissions' };
const write = (file_path: string, content: string) => toolUse('Write', { file_path, content });
const rewind = (user_message_id: unknown, more: JsonObject = {}) => ({
  subtype: 'rewind_files',
  user_message_id,
  ...more,
});
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

test('[CHK-01, CTL-08] a snapshot stands before its prompt, updates behind the call that brought them', async () => {
  const house = createHouse([write('a.txt', 'one\n'), 'Done.', 'Hello.'], { home: tempDir() });
  const client = house.connect(on);
  await client.ask('write', { uuid: uuid(1) });
  await client.ask('hi', { uuid: uuid(2) });
  const entries = await house.entries(String(client.lines[0]?.session_id));
  const shown = entries.flatMap(({ type, messageId, uuid: id, isSnapshotUpdate }) => {
    if (type === 'file-history-snapshot') return [`${isSnapshotUpdate ? 'update' : 'snapshot'} ${messageId}`];
    return type === 'assistant' || type === 'user' ? [`${type} ${id}`] : [];
  });
  const [call, result, answer, last] = client.lines.flatMap(({ type, uuid: id }) =>
    type === 'assistant' || type === 'user' ? [id] : [],
  );
  expect(shown).toEqual([
    `snapshot ${uuid(1)}`,
    `user ${uuid(1)}`,
    `assistant ${call}`,
    `update ${call}`,
    `user ${result}`,
    `assistant ${answer}`,
    `snapshot ${uuid(2)}`,
    `user ${uuid(2)}`,
    `assistant ${last}`,
  ]);
});

test('[CTL-08, QM-02] rewind_files answers with what would change, then does it, at once after a result', async () => {
  const house = createHouse([write('a.txt', 'one\n'), 'Done.', write('b.txt', 'two\n'), 'Done.'], { home: tempDir() });
  const client = house.connect(on);
  await client.ask('write', { uuid: uuid(1) });
  await client.ask('write more', { uuid: uuid(2) });
  const preview = await client.control(rewind(uuid(2), { dry_run: true }));
  expect(preview.response).toEqual({
    canRewind: true,
    filesChanged: [join(house.dir, 'b.txt')],
    insertions: 0,
    deletions: 1,
  });
  expect((await client.control(rewind(uuid(1)))).response).toEqual({ canRewind: true });
  expect([existsSync(join(house.dir, 'a.txt')), existsSync(join(house.dir, 'b.txt'))]).toEqual([false, false]);
});

test('[CHK-07] an unknown message, or none, is an error', async () => {
  const client = createHouse(['Hello.'], { home: tempDir() }).connect(on);
  await client.ask('hi', { uuid: uuid(1) });
  expect(await client.control(rewind(uuid(9)))).toMatchObject({ subtype: 'error', error_code: 'no_checkpoint' });
  expect(await client.control(rewind(7))).toMatchObject({ subtype: 'error', error_code: 'invalid_request' });
});

test('the model must read again what a rewind has changed', async () => {
  const edit = toolUse('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
  const script = [toolUse('Read', { file_path: 'a.txt' }), edit, 'Done.', edit, 'Failed.'];
  const house = createHouse(script, { home: tempDir() });
  house.file('a.txt', 'one\n');
  const client = house.connect(on);
  await client.ask('edit', { uuid: uuid(1) });
  await client.control(rewind(uuid(1)));
  await client.ask('edit again', { uuid: uuid(2) });
  expect(JSON.stringify(resultsOf(client.lines).at(-1))).toMatch(/has not been read yet/);
  expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('one\n');
});

test('a message that joins a running turn has a checkpoint of its own', async () => {
  const house = createHouse(
    [
      write('a.txt', 'one\n'),
      [toolUse('Bash', { command: 'sleep 0.5; echo two > a.txt' })],
      write('b.txt', ''),
      'Done.',
    ],
    { home: tempDir() },
  );
  const client = house.connect(on);
  client.say('begin', { uuid: uuid(1) });
  await client.until(() => client.of('assistant').length === 2);
  client.say('and this', { uuid: uuid(2) });
  await client.result(0);
  expect(client.results[0]).toMatchObject({ user_message_uuids: [uuid(1), uuid(2)] });
  await client.control(rewind(uuid(2)));
  expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('two\n');
  expect(existsSync(join(house.dir, 'b.txt'))).toBe(false);
  await client.control(rewind(uuid(1)));
  expect(existsSync(join(house.dir, 'a.txt'))).toBe(false);
});

describe('a turn that is running', () => {
  test('refuses a rewind', async () => {
    const client = createHouse(['Hello.', hang()], { home: tempDir() }).connect(on);
    await client.ask('hi', { uuid: uuid(1) });
    client.say('work');
    await client.until(() => client.of('system/init').length === 2);
    expect(await client.control(rewind(uuid(1)))).toMatchObject({ subtype: 'error', error_code: 'turn_running' });
    await client.control({ subtype: 'interrupt' });
    await client.result(1);
    expect((await client.control(rewind(uuid(1)))).response).toEqual({ canRewind: true });
  });
});

test("a turn that breaks is over: what changes then is the user's, whatever runs in the background", async () => {
  const memory = createMemoryStore();
  let isBroken = false;
  const store: SessionStore = {
    ...memory,
    async append(key, entries) {
      if (isBroken) throw new Error('the store is broken');
      await memory.append(key, entries);
    },
  };
  const command = 'touch /dev/null; echo begun; sleep 60';
  const answers = [toolUse('Bash', { command, run_in_background: true }), 'Never stored.', 'Hello.'];
  const script = (_request: unknown, index: number) => {
    isBroken = index === 1;
    return answers[index] ?? '';
  };
  const house = createHouse(script, { home: tempDir(), store });
  const client = house.connect(on);
  expect(await client.ask('work', { uuid: uuid(1) })).toMatchObject({ is_error: true });
  isBroken = false;
  house.file('mine.txt', 'mine\n');
  await client.ask('hi', { uuid: uuid(2) });
  expect((await client.control(rewind(uuid(1)))).response).toEqual({ canRewind: true });
  expect(readFileSync(join(house.dir, 'mine.txt'), 'utf8')).toBe('mine\n');
});

describe('without checkpoints', () => {
  test('[CHK-05, OPT-11] a rewind is refused, and nothing is kept or recorded', async () => {
    const home = tempDir();
    const house = createHouse([write('a.txt', 'one\n'), 'Done.'], { home });
    const client = house.connect({ permissionMode: 'bypassPermissions' });
    await client.ask('write', { uuid: uuid(1) });
    const answer = await client.control(rewind(uuid(1)));
    expect(answer).toMatchObject({ subtype: 'error', error: expect.stringMatching(/without enableFileCheckpointing/) });
    expect(existsSync(join(home, 'file-history'))).toBe(false);
    const entries = await house.entries(String(client.lines[0]?.session_id));
    expect(entries.some(({ type }) => type === 'file-history-snapshot')).toBe(false);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['0', false],
    ['', false],
  ])('[CHK-06] the environment switches them on: %j', async (value, isOn) => {
    const client = createHouse(['Hello.'], {
      home: tempDir(),
      env: { HOME: tempDir(), PATH: process.env.PATH, CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: value },
    }).connect();
    await client.ask('hi', { uuid: uuid(1) });
    expect((await client.control(rewind(uuid(1)))).subtype).toBe(isOn ? 'success' : 'error');
  });
});

test('a session that stores nothing can be rewound while it lasts, and leaves no copies', async () => {
  const home = tempDir();
  const house = createHouse([write('a.txt', 'one\n'), 'Done.', write('a.txt', 'two\n'), 'Done.'], { home });
  const client = house.connect({ ...on, noSessionPersistence: true });
  await client.ask('write', { uuid: uuid(1) });
  await client.ask('write', { uuid: uuid(2) });
  await client.control(rewind(uuid(2)));
  expect(readFileSync(join(house.dir, 'a.txt'), 'utf8')).toBe('one\n');
  await client.end();
  expect(readdirSync(join(home, 'file-history'))).toEqual([]);
});

test('resumed and forked sessions can be rewound', async () => {
  const house = createHouse([write('a.txt', 'one\n'), 'Done.', 'Hello.', 'Hello.'], { home: tempDir() });
  const first = house.connect(on);
  await first.ask('write', { uuid: uuid(1) });
  await first.end();
  const id = String(first.lines[0]?.session_id);
  const fork = house.connect({ ...on, resume: id, forkSession: true });
  await fork.ask('go on', { uuid: uuid(2) });
  const resumed = house.connect({ ...on, resume: id });
  const preview = { canRewind: true, filesChanged: [join(house.dir, 'a.txt')], insertions: 0, deletions: 1 };
  expect((await resumed.control(rewind(uuid(1), { dry_run: true }))).response).toEqual(preview);
  expect(await resumed.control(rewind(uuid(2)))).toMatchObject({ subtype: 'error' });
  expect((await fork.control(rewind(uuid(1)))).response).toEqual({ canRewind: true });
  expect(existsSync(join(house.dir, 'a.txt'))).toBe(false);
});
