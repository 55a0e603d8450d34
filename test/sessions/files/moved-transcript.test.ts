import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../../src/sessions/store.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { collect, tempDir, user, uuids } from '../support.ts';

const key: SessionKey = { project: '/w/loom', sessionId: '00000000-0000-4000-8000-000000000001' };

/** A store that has appended `a` and `b` to a session, and what was said about its file since. */
async function openSession(write?: (fd: number, bytes: Buffer, offset: number) => number) {
  const home = tempDir();
  const said: string[] = [];
  const store = createJsonlStore({ home, log: (_, message) => said.push(message), ...(write && { write }) });
  const path = store.locate(key);
  await store.append(key, [user('a', 'warp'), user('b', 'weft', { parent: 'a' })]);
  return {
    home,
    path,
    said,
    store,
    elsewhere: join(home, 'elsewhere.jsonl'),
    add: (uuid: string) => store.append(key, [user(uuid, 'x')], { areNew: true }),
    stored: async () => uuids((await collect(store.load(key))).entries),
  };
}

describe('[S-1] a session file that does not stay where it was while it is open', () => {
  test('moved away: it is written anew, with everything, and aloud', async () => {
    const { path, elsewhere, said, add, stored } = await openSession();
    renameSync(path, elsewhere);
    const moved = readFileSync(elsewhere, 'utf8');
    await add('c');
    await add('d');
    expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
    expect(readFileSync(elsewhere, 'utf8')).toBe(moved);
    expect(said).toEqual([expect.stringMatching(/was moved away while in use; it was written anew, with all/)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual([`${key.sessionId}.jsonl`]);
  });

  test('moved away with its folder, or the whole home', async () => {
    const { home, path, add, stored } = await openSession();
    renameSync(dirname(path), join(home, 'away'));
    await add('c');
    renameSync(home, `${home}-away`);
    await add('d');
    expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
    renameSync(join(home, 'projects'), `${home}-away/later`);
  });

  test('moved away in the very moment of a write', async () => {
    let onWrite = () => {};
    const session = await openSession((fd, bytes, offset) => {
      onWrite();
      return writeSync(fd, bytes, offset);
    });
    onWrite = () => {
      onWrite = () => {};
      renameSync(session.path, session.elsewhere);
    };
    await session.add('c');
    expect(await session.stored()).toEqual(['a', 'b', 'c']);
  });

  test('deleted in the very moment of a write: the entry is stored', async () => {
    let onWrite = () => {};
    const session = await openSession((fd, bytes, offset) => {
      onWrite();
      return writeSync(fd, bytes, offset);
    });
    onWrite = () => {
      onWrite = () => {};
      unlinkSync(session.path);
    };
    await session.add('c');
    expect(await session.stored()).toEqual(['c']);
  });

  test('replaced by a copy of what it was: what the copy lacks is added', async () => {
    const { path, elsewhere, said, add, stored } = await openSession();
    copyFileSync(path, elsewhere);
    await add('c'); // into the file, not into the copy
    renameSync(elsewhere, path);
    await add('d');
    expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
    expect(said).toEqual([expect.stringContaining('was replaced by another one while in use')]);
  });

  test('replaced by one without a line: what was taken out stays out', async () => {
    const { path, elsewhere, add, stored } = await openSession();
    writeFileSync(elsewhere, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'));
    renameSync(elsewhere, path);
    await add('c');
    expect(await stored()).toEqual(['b', 'c']);
  });

  test('replaced by one that has more, whose last line is torn', async () => {
    const { path, elsewhere, add, stored } = await openSession();
    copyFileSync(path, elsewhere);
    appendFileSync(elsewhere, `${JSON.stringify(user('z', 'y'))}\n{"type":"us`);
    renameSync(elsewhere, path);
    await add('c');
    expect(await stored()).toEqual(['a', 'b', 'z', 'c']);
  });

  test('moved away, and an empty one in its place', async () => {
    const { path, elsewhere, add, stored } = await openSession();
    renameSync(path, elsewhere);
    writeFileSync(path, '');
    await add('c');
    expect(await stored()).toEqual(['a', 'b', 'c']);
  });

  test('replaced by something else: nothing is written, and it is an error that says so', async () => {
    const { path, elsewhere, add } = await openSession();
    writeFileSync(elsewhere, 'a letter to a friend\n');
    renameSync(elsewhere, path);
    await expect(add('c')).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('another file was put in its place, which holds nothing of this session'),
    });
    expect(readFileSync(path, 'utf8')).toBe('a letter to a friend\n');
  });

  test.each([
    ['a directory', (path: string) => mkdirSync(path)],
    ['a link to nowhere', (path: string) => symlinkSync('/no/such/place', path)],
  ])('moved away, and %s in its place: an error', async (_what, put) => {
    const { path, elsewhere, add } = await openSession();
    renameSync(path, elsewhere);
    put(path);
    await expect(add('c')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(existsSync(elsewhere)).toBe(true);
  });

  test('a link to the file is the file', async () => {
    const { path, elsewhere, said, add, stored } = await openSession();
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    await add('c');
    expect([await stored(), said]).toEqual([['a', 'b', 'c'], []]);
  });

  test('moved away before a resumed session has written anything', async () => {
    const { path, elsewhere, home } = await openSession();
    const said: string[] = [];
    const store = createJsonlStore({ home, log: (_, message) => said.push(message) });
    const lease = await store.lease(key, { pid: process.pid, host: hostname() });
    renameSync(path, elsewhere);
    await store.append(key, [user('c', 'x')], { areNew: true });
    expect(uuids((await collect(store.load(key))).entries)).toEqual(['a', 'b', 'c']);
    expect(said).toHaveLength(1);
    await lease.release();
  });
});
