import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { FileContents } from '../../../src/wire/control/index.ts';
import { createHouse, resultsOf } from '../support.ts';

describe('read_file', () => {
  const read = (path: string) => ({ subtype: 'read_file', path });

  test('[B-169, B-086] the contents, and where the file is; the model is not asked', async () => {
    const house = createHouse([]);
    const path = house.file('a.txt', 'line1\nline2\n');
    const client = house.connect();
    expect((await client.control(read(path))).response).toEqual({
      contents: 'line1\nline2\n',
      absPath: path,
      requested_path: path,
      lossy: false,
    });
    expect((await client.control(read('a.txt'))).response).toMatchObject({ absPath: path, requested_path: 'a.txt' });
    expect(house.model.requests).toEqual([]);
  });

  test('a large file is cut at a character, and says so; the line stays short', async () => {
    const house = createHouse([]);
    house.file('large.txt', `a${'ü'.repeat(400_000)}`);
    house.file('odd.txt', '\u0001'.repeat(390_000));
    const client = house.connect();
    const large = (await client.control(read('large.txt'))).response as FileContents;
    expect(large).toMatchObject({ truncated: true, size: 800_001, lossy: false });
    expect(large.contents).toMatch(/^aü+$/);
    const odd = (await client.control(read('odd.txt'))).response as FileContents;
    expect(odd).toMatchObject({ truncated: true, size: 390_000 });
    expect(Math.max(...client.lines.map((line) => JSON.stringify(line).length))).toBeLessThan(1_000_000);
  });

  test('bytes that are no text are replaced, and it says so', async () => {
    const house = createHouse([]);
    writeFileSync(join(house.dir, 'latin1'), Buffer.from([0x67, 0xfc, 0x6e]));
    expect(await house.connect().control(read('latin1'))).toMatchObject({
      response: { contents: 'g\uFFFDn', lossy: true },
    });
  });

  test('[R-1, G6] only what the session may read by its rules: symlinks are followed first', async () => {
    const house = createHouse([]);
    const outside = join(house.dir, '..', 'outside.txt');
    writeFileSync(outside, 'not yours');
    house.file('secret.txt', 'hush');
    symlinkSync(join(house.dir, 'secret.txt'), join(house.dir, 'link.txt'));
    symlinkSync(outside, join(house.dir, 'way-out.txt'));
    const client = house.connect({ disallowedTools: ['Read(./secret.txt)'] });
    for (const path of ['secret.txt', 'link.txt', outside, 'way-out.txt', '/etc/passwd', '../outside.txt']) {
      const answer = await client.control(read(path));
      expect(answer, path).toMatchObject({ subtype: 'error', error_code: 'permission_denied' });
    }
    expect(JSON.stringify(client.lines)).not.toMatch(/not yours|hush/);
  });

  test.each([
    ['Read is denied as a whole', { disallowedTools: ['Read'] }],
    ['the session has no tools', { tools: [] }],
  ])('[K7] nothing when %s', async (_when, config) => {
    const house = createHouse([]);
    house.file('a.txt', 'x');
    expect(await house.connect(config).control(read('a.txt'))).toMatchObject({ error_code: 'permission_denied' });
  });

  test('what is no file is an error that says why, also a pipe that nobody writes to', async () => {
    const house = createHouse([]);
    mkdirSync(join(house.dir, 'folder'));
    execFileSync('mkfifo', [join(house.dir, 'pipe')]);
    const client = house.connect();
    const codes: unknown[] = [];
    for (const path of ['missing', 'folder', 'pipe']) codes.push((await client.control(read(path))).error_code);
    expect(codes).toEqual(['file_not_found', 'not_a_file', 'not_a_file']);
    expect(await client.control({ subtype: 'read_file' })).toMatchObject({ error_code: 'invalid_request' });
  });

  test('max_bytes cuts between characters; base64 gives the bytes', async () => {
    const house = createHouse(() => 'ok');
    house.file('a.txt', 'aäb');
    const client = house.connect();
    expect((await client.control({ ...read('a.txt'), max_bytes: 2 })).response).toMatchObject({
      contents: 'a',
      truncated: true,
      size: 4,
    });
    expect((await client.control({ ...read('a.txt'), encoding: 'base64' })).response).toMatchObject({
      contents: Buffer.from('aäb').toString('base64'),
    });
    expect(await client.control({ ...read('a.txt'), max_bytes: -1 })).toMatchObject({ subtype: 'error' });
  });
});

describe('seed_read_state', () => {
  const edit = toolUse('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' });
  const seed = (path: string, mtime: number) => ({ subtype: 'seed_read_state', path, mtime });

  test('[B-169, B-088] a file that the host has shown may be edited without being read', async () => {
    const house = createHouse([edit, 'done']);
    const path = house.file('a.txt', 'old');
    const client = house.connect({ permissionMode: 'acceptEdits' });
    const { mtimeMs } = statSync(path);
    expect(await client.control(seed('a.txt', mtimeMs))).toMatchObject({ response: { seeded: true } });
    await client.ask('go');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('one that has changed since may not', async () => {
    const house = createHouse([edit, 'done']);
    const path = house.file('a.txt', 'old');
    const client = house.connect({ permissionMode: 'acceptEdits' });
    expect(await client.control(seed('a.txt', statSync(path).mtimeMs - 5000))).toMatchObject({
      response: { seeded: false },
    });
    await client.ask('go');
    expect(resultsOf(client.lines)[0]).toMatchObject({ is_error: true });
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('nor one that may not be read', async () => {
    const house = createHouse([]);
    house.file('a.txt', 'old');
    const client = house.connect({ disallowedTools: ['Read(./a.txt)'] });
    expect(await client.control(seed('a.txt', 0))).toMatchObject({ error_code: 'permission_denied' });
    expect(await client.control({ subtype: 'seed_read_state', path: 'a.txt' })).toMatchObject({
      error_code: 'invalid_request',
    });
  });
});
