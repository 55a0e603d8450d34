import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { isObject, type JsonObject } from '../../../src/util/json.ts';
import { type HostSubtype, readHostResponse } from '../../../src/wire/control/index.ts';
import { type Client, createHouse } from '../support.ts';

/** The body of a successful answer, checked by its schema. */
async function answerTo(client: Client, request: JsonObject & { subtype: HostSubtype }): Promise<JsonObject> {
  const answer = await client.control(request);
  expect(answer).toMatchObject({ subtype: 'success' });
  return readHostResponse(request.subtype, answer.response) as JsonObject;
}

const paths = (body: JsonObject) => (body.suggestions as JsonObject[]).map(({ path }) => path);

describe('file_suggestions', () => {
  test('finds files and directories by parts of their names, and says which characters fit', async () => {
    const house = createHouse([]);
    for (const name of ['src/wire/parse.ts', 'src/parser.ts', 'docs/page.md']) write(house.dir, name);
    const client = house.connect();
    const body = await answerTo(client, { subtype: 'file_suggestions', query: 'parse' });
    expect(paths(body)).toEqual(['src/parser.ts', 'src/wire/parse.ts']);
    expect(body).toMatchObject({ total: 2, truncated: false });
    expect(body.suggestions).toContainEqual(
      expect.objectContaining({ path: 'src/parser.ts', is_directory: false, positions: [4, 5, 6, 7, 8] }),
    );
    const all = await answerTo(client, { subtype: 'file_suggestions', query: '', limit: 3 });
    expect(all.suggestions).toHaveLength(3);
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'wire/' }))[0]).toBe('src/wire/');
  });

  test('[TUI-52] a capital makes case count, and ignored files come only below a directory that is named', async () => {
    const house = createHouse([]);
    for (const name of ['Makefile', 'makeup.txt', 'built/out.js']) write(house.dir, name);
    writeFileSync(join(house.dir, '.ignore'), 'built/\n');
    const client = house.connect();
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'Make' }))).toEqual(['Makefile']);
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'out' }))).toEqual([]);
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'built/o' }))).toEqual(['built/out.js']);
  });

  test('a file that a rule hides is never suggested, also by a rule that came later', async () => {
    const house = createHouse([]);
    for (const name of ['secret/key.txt', 'key-notes.txt']) write(house.dir, name);
    const client = house.connect({ disallowedTools: ['Read(./secret/**)'] });
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'key' }))).toEqual(['key-notes.txt']);
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'secret/k' }))).toEqual([]);
    const rules = [{ toolName: 'Read', ruleContent: './key-notes.txt' }];
    await answerTo(client, {
      subtype: 'update_permissions',
      updates: [{ type: 'addRules', rules, behavior: 'deny', destination: 'session' }],
    });
    expect(paths(await answerTo(client, { subtype: 'file_suggestions', query: 'key' }))).toEqual([]);
  });

  test('nothing outside of the working directory is listed', async () => {
    const house = createHouse([]);
    const client = house.connect();
    for (const query of ['../', '/etc/', '~/']) {
      expect(paths(await answerTo(client, { subtype: 'file_suggestions', query }))).toEqual([]);
    }
  });

  test.each([[{}], [{ query: 7 }], [{ query: 'a', limit: 0 }], [{ query: 'x'.repeat(2000) }]])(
    '[P-3] %j is refused with a code',
    async (fields) => {
      const answer = await createHouse([])
        .connect()
        .control({ subtype: 'file_suggestions', ...fields });
      expect(answer).toMatchObject({ subtype: 'error', error_code: 'invalid_request' });
    },
  );
});

describe('session_messages', () => {
  test('pages from the end of the branch to its beginning hold every message once, with the uuids of the file', async () => {
    const house = createHouse((_request, at) => (at === 0 ? toolUse('Glob', { pattern: '*' }) : `answer ${at}`));
    const client = house.connect();
    for (const words of ['one', 'two', 'three']) await client.ask(words);
    const whole = await answerTo(client, { subtype: 'session_messages' });
    const all = whole.messages as JsonObject[];
    expect(whole).toMatchObject({ total: all.length });
    expect(whole.before).toBeUndefined();
    expect(all.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const entries = await house.entries(String(client.of('system/init')[0]?.session_id));
    const stored = new Set(entries.map(({ uuid }) => uuid));
    expect(all.every(({ uuid }) => stored.has(String(uuid)))).toBe(true);
    const paged: JsonObject[] = [];
    let before: unknown;
    do {
      const page: JsonObject = await answerTo(client, {
        subtype: 'session_messages',
        limit: 3,
        ...(before !== undefined && { before }),
      });
      paged.unshift(...(page.messages as JsonObject[]));
      before = page.before;
    } while (before !== undefined);
    expect(paged).toEqual(all);
  });

  test('another branch is read by its leaf, and what does not exist is refused', async () => {
    const house = createHouse((_request, at) => `answer ${at}`);
    const client = house.connect();
    await client.ask('first', { uuid: '11111111-1111-4111-8111-111111111111' });
    const [, answer] = (await answerTo(client, { subtype: 'session_messages' })).messages as JsonObject[];
    await client.ask('instead', { edits: '11111111-1111-4111-8111-111111111111' });
    const page = await answerTo(client, { subtype: 'session_messages', leaf_uuid: answer?.uuid });
    expect(JSON.stringify(page.messages)).toContain('first');
    expect(JSON.stringify(page.messages)).not.toContain('instead');
    for (const fields of [{ leaf_uuid: 'nobody' }, { before: 'nobody' }]) {
      expect(await client.control({ subtype: 'session_messages', ...fields })).toMatchObject({
        subtype: 'error',
        error_code: 'unknown_parent',
      });
    }
    for (const fields of [{ leaf_uuid: 7 }, { before: 7 }, { limit: -1 }]) {
      expect(await client.control({ subtype: 'session_messages', ...fields })).toMatchObject({
        error_code: 'invalid_request',
      });
    }
  });

  test('a session without messages has none', async () => {
    const client = createHouse([]).connect();
    expect(await answerTo(client, { subtype: 'session_messages' })).toEqual({ messages: [], total: 0 });
  });
});

describe('update_permissions', () => {
  const adding = (rule: JsonObject, destination: string, behavior = 'allow') => ({
    subtype: 'update_permissions' as const,
    updates: [{ type: 'addRules', rules: [rule], behavior, destination }],
  });
  const write = { toolName: 'Write' };

  test('a rule holds from the next call on, and is saved where it says', async () => {
    const house = createHouse((_request, at) =>
      at % 2 === 0 ? toolUse('Write', { file_path: `f${at}.txt`, content: 'x' }) : 'done',
    );
    const client = house.connect();
    expect((await client.ask('go')).permission_denials).toHaveLength(1);
    expect(await answerTo(client, adding(write, 'localSettings'))).toEqual({ mode: 'default' });
    expect((await client.ask('again')).permission_denials).toEqual([]);
    const file = join(house.dir, '.claude/settings.local.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ permissions: { allow: ['Write'] } });
  });

  test('[P-3] all or nothing: an update that cannot be applied leaves no trace, and has a code', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const bad: [JsonObject, string][] = [
      [{ updates: 'all' }, 'invalid_request'],
      [{}, 'invalid_request'],
      [{ updates: [{ type: 'allowEverything' }] }, 'invalid_request'],
      [
        {
          updates: [
            ...adding(write, 'localSettings').updates,
            { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
          ],
        },
        'invalid_settings',
      ],
      [
        { updates: [{ type: 'removeDirectories', directories: [house.dir], destination: 'session' }] },
        'invalid_settings',
      ],
    ];
    for (const [fields, error_code] of bad) {
      const answer = await client.control({ subtype: 'update_permissions', ...fields });
      expect(answer, JSON.stringify(fields)).toMatchObject({ subtype: 'error', error_code });
    }
    expect(existsSync(join(house.dir, '.claude'))).toBe(false);
  });

  test('[PRM-12] a directory that is not there cannot become one of the session', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const file = join(house.dir, 'f.txt');
    writeFileSync(file, '');
    const add = (directory: string) =>
      client.control({
        subtype: 'update_permissions',
        updates: [{ type: 'addDirectories', directories: [directory], destination: 'session' }],
      });
    expect(await add('/nosuch/place')).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_settings',
      error: expect.stringContaining('does not exist'),
    });
    expect(await add(file)).toMatchObject({ subtype: 'error', error: expect.stringContaining('no directory') });
    expect(await add('/usr')).toMatchObject({ subtype: 'success' });
  });

  test('[P-7] a rule that allows does not lift a rule that denies', async () => {
    const house = createHouse((_request, at) =>
      at === 0 ? toolUse('Write', { file_path: 'f.txt', content: 'x' }) : 'done',
    );
    const client = house.connect({ disallowedTools: ['Write(./f.txt)'] });
    await answerTo(client, adding(write, 'session'));
    await client.ask('go');
    expect(existsSync(join(house.dir, 'f.txt'))).toBe(false);
  });
});

test('what a host may ask for is in `capabilities`', async () => {
  const answer = await createHouse([]).connect().control({ subtype: 'initialize' });
  const body = isObject(answer.response) ? answer.response : {};
  expect(body.capabilities).toEqual(
    expect.arrayContaining(['file_suggestions', 'session_messages', 'update_permissions']),
  );
});

function write(dir: string, name: string): void {
  mkdirSync(join(dir, name, '..'), { recursive: true });
  writeFileSync(join(dir, name), '');
}
