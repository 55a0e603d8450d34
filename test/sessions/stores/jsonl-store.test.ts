import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectSlug } from '../../../src/sessions/files/project-slug.ts';
import type { SessionKey } from '../../../src/sessions/store.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { collect, tempDir, user, uuids } from '../support.ts';

const key: SessionKey = { project: '/w/loom', sessionId: '00000000-0000-4000-8000-000000000001' };

function makeStore(options: { home?: string; write?: (fd: number, bytes: Buffer, offset: number) => number } = {}) {
  const home = options.home ?? tempDir();
  const notes: string[] = [];
  const store = createJsonlStore({ ...options, home, log: (_, message) => notes.push(message) });
  const path = store.locate(key);
  const prepare = (content: string | Buffer) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  return { store, home, path, notes, prepare };
}

const three = [user('a', 'warp'), user('b', 'wéft 漢 😀', { parent: 'a' }), user('c', 'shed', { parent: 'b' })];
const threeLines = three.map((entry) => `${JSON.stringify(entry)}\n`).join('');

describe('layout', () => {
  test('[SES-01] one file per session, subagents in a folder beside it', async () => {
    const { store, home } = makeStore();
    const folder = join(home, 'projects', '-w-loom');
    expect(store.locate(key)).toBe(join(folder, `${key.sessionId}.jsonl`));
    expect(store.locate({ ...key, agentId: 'a5559a3' })).toBe(
      join(folder, key.sessionId, 'subagents', 'agent-a5559a3.jsonl'),
    );
  });

  test('nothing is created before the first append', async () => {
    const { store, home } = makeStore();
    await store.exists(key);
    await store.list(key.project);
    await collect(store.load(key));
    expect(() => statSync(join(home, 'projects'))).toThrow();
  });

  test('[R-17] files are 0600, directories 0700', async () => {
    const { store, home, path } = makeStore();
    const agent = { ...key, agentId: 'a1' };
    await store.append(key, three);
    await store.append(agent, three);
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect([path, store.locate(agent)].map(mode)).toEqual(['600', '600']);
    const agents = dirname(store.locate(agent));
    expect([join(home, 'projects'), dirname(path), dirname(agents), agents].map(mode)).toEqual(Array(4).fill('700'));
  });

  test('a long project is found under the uncut slug of older versions, and goes on there', async () => {
    const project = `/${'loom/'.repeat(45)}`;
    const { store, home } = makeStore();
    const older = join(home, 'projects', project.replaceAll('/', '-'), `${key.sessionId}.jsonl`);
    mkdirSync(dirname(older), { recursive: true });
    writeFileSync(older, threeLines);
    const long = { ...key, project };
    await store.append(long, [user('d', 'more', { parent: 'c' })]);
    expect(uuids((await collect(store.load(long))).entries)).toEqual(['a', 'b', 'c', 'd']);
    expect(readFileSync(older, 'utf8')).toContain('"d"');
    expect((await store.list(project)).map((info) => info.sessionId)).toEqual([key.sessionId]);

    const fresh = { ...long, sessionId: key.sessionId.replace(/1$/, '2') };
    await store.append(fresh, three);
    expect(store.locate(fresh)).toContain(join('projects', projectSlug(project)));
  });

  test.each([
    { ...key, sessionId: '../../../etc/passwd' },
    { ...key, sessionId: `${key.sessionId}/x` },
    { ...key, agentId: '../x' },
    { ...key, agentId: '' },
  ])('ids that must not become file names are refused: %j', async (bad) => {
    const { store } = makeStore();
    await expect(store.append(bad, three)).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(store.exists(bad)).rejects.toMatchObject({ code: 'invalid_option' });
    expect(() => store.load(bad)).toThrow(HeddleError);
  });

  test('[SES-34] the list reads no transcript: newest first, with sizes, other files left out', async () => {
    const { store, path } = makeStore();
    await store.append(key, three);
    for (let n = 2; n <= 300; n++) {
      const name = key.sessionId.replace(/0001$/, String(n).padStart(4, '0'));
      writeFileSync(join(dirname(path), `${name}.jsonl`), 'x');
      utimesSync(join(dirname(path), `${name}.jsonl`), n, n);
    }
    writeFileSync(join(dirname(path), 'notes.jsonl'), 'x');
    mkdirSync(join(dirname(path), key.sessionId));
    const listed = await store.list(key.project);
    expect(listed).toHaveLength(300);
    expect(listed[0]).toMatchObject({ sessionId: key.sessionId, size: Buffer.byteLength(threeLines) });
    expect(listed[1]?.sessionId.endsWith('0300')).toBe(true);
    expect(listed.at(-1)?.sessionId.endsWith('0002')).toBe(true);
  });

  test('removing a session leaves what is not a transcript', async () => {
    const { store, path } = makeStore();
    await store.append(key, three);
    await store.append({ ...key, agentId: 'a1' }, three);
    const own = join(path.replace(/\.jsonl$/, ''), 'notes.txt');
    writeFileSync(own, 'mine');
    await store.remove?.(key);
    expect(await store.exists({ ...key, agentId: 'a1' })).toBe(false);
    expect(readFileSync(own, 'utf8')).toBe('mine');
  });
});

describe('damage', () => {
  test('[S-9] cut anywhere: every whole line comes back, and appends stand on lines of their own', async () => {
    const bytes = Buffer.from(threeLines);
    const ends = three.map((_, i) =>
      Buffer.byteLength(
        threeLines
          .split('\n')
          .slice(0, i + 1)
          .join('\n'),
      ),
    );
    const { store, path, prepare } = makeStore();
    for (let cut = 0; cut <= bytes.length; cut++) {
      prepare(bytes.subarray(0, cut));
      await store.append(key, [user('next', 'after the cut')]);
      const whole = ['a', 'b', 'c'].filter((_, i) => cut >= (ends[i] ?? 0));
      const { entries, damage } = await collect(store.load(key));
      expect(uuids(entries), `cut at ${cut}`).toEqual([...whole, 'next']);
      expect(damage.length, `cut at ${cut}`).toBe(cut === 0 || ends.includes(cut) || ends.includes(cut - 1) ? 0 : 1);
      expect(readFileSync(path).subarray(0, cut).equals(bytes.subarray(0, cut))).toBe(true);
      await store.close?.();
      rmSync(path);
    }
  });

  test.each([
    ['torn last line', `${threeLines}{"type":"user","uu`, ['torn: the file ends inside this record']],
    ['no final newline', threeLines.trimEnd(), []],
    ['garbage line', threeLines.replace('\n', '\n%%garbage%%\n'), ['not JSON']],
    ['half line', threeLines.replace('\n', '\n{"type":"user","message":{"role":"us\n'), ['not JSON']],
    ['blank lines', threeLines.replaceAll('\n', '\n\n  \n'), []],
    [
      'scalars',
      `1\n"x"\nnull\n[1]\n{}\n${threeLines}`,
      [...Array(4).fill('not an object'), 'an object without a type'],
    ],
    ['byte order mark', `\ufeff${threeLines}`, []],
    ['CRLF', threeLines.replaceAll('\n', '\r\n'), []],
    [
      'a run of NUL before a record',
      threeLines.replace('\n', `\n${'\0'.repeat(4096)}`),
      ['zero bytes beside the record'],
    ],
    ['a line of NUL', threeLines.replace('\n', `\n${'\0'.repeat(4096)}\n`), ['zero bytes']],
  ])('[S-10] %s: nothing else is lost', async (_, content, expected) => {
    const { store, prepare } = makeStore();
    prepare(content);
    const { entries, damage } = await collect(store.load(key));
    expect(entries).toEqual(JSON.parse(JSON.stringify(three)));
    expect(damage).toEqual(expected);
  });

  test('[S-10] invalid UTF-8 costs only the bytes concerned', async () => {
    const { store, prepare } = makeStore();
    const broken = Buffer.from(threeLines);
    broken[broken.indexOf('shed')] = 0xff;
    prepare(broken);
    const { entries, damage } = await collect(store.load(key));
    expect(entries).toEqual(JSON.parse(JSON.stringify([three[0], three[1], user('c', '\ufffdhed', { parent: 'b' })])));
    expect(damage).toEqual(['invalid UTF-8, replaced']);
  });

  test('lines are numbered as in the file', async () => {
    const { store, prepare } = makeStore();
    prepare(`\n%%\n${threeLines}`);
    const places: unknown[] = [];
    for await (const item of store.load(key)) places.push('entry' in item ? item.line : item.damage);
    expect(places).toEqual([{ line: 2, reason: 'not JSON', bytes: 2 }, 3, 4, 5]);
  });

  test('[S-12] what is in the file twice is read twice, but never written a second time', async () => {
    const { store, prepare, path } = makeStore();
    prepare(threeLines + threeLines);
    await store.append(key, three);
    expect(readFileSync(path, 'utf8')).toBe(threeLines + threeLines);
  });

  test.each(['directory', 'FIFO'])('[S-19] a %s in the place of the file: a typed error, at once', async (kind) => {
    const { store, path } = makeStore();
    mkdirSync(dirname(path), { recursive: true });
    if (kind === 'directory') mkdirSync(path);
    else execFileSync('mkfifo', [path]);
    expect(await store.exists(key)).toBe(true);
    await expect(collect(store.load(key))).rejects.toMatchObject({ code: 'session_unreadable', facts: { path } });
    await expect(store.append(key, three)).rejects.toMatchObject({ code: 'storage_failed', facts: { path } });
    expect(await store.list(key.project)).toEqual([]);
  });

  test('[S-19] an unreadable file: a typed error', async () => {
    const { store, prepare, path, home } = makeStore();
    prepare(threeLines);
    execFileSync('chmod', ['000', path]);
    await asOrdinaryUser(home, async () => {
      await expect(collect(store.load(key))).rejects.toMatchObject({ code: 'session_unreadable' });
      await expect(store.append(key, three)).rejects.toMatchObject({ code: 'storage_failed' });
    });
  });

  test('[S-19] an empty file is an empty session', async () => {
    const { store, prepare } = makeStore();
    prepare('');
    expect(await collect(store.load(key))).toEqual({ entries: [], damage: [] });
  });

  test('[S-18] very deep nesting is read like anything else', async () => {
    const { store, prepare } = makeStore();
    prepare(`{"type":"user","uuid":"deep","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n${threeLines}`);
    expect(uuids((await collect(store.load(key))).entries)).toEqual(['deep', 'a', 'b', 'c']);
  });

  test('lines across the borders of blocks', async () => {
    const { store, prepare } = makeStore();
    const entries = Array.from({ length: 30 }, (_, i) => user(`u${i}`, '漢'.repeat(40_000 + i)));
    prepare(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const loaded = await collect(store.load(key));
    expect(loaded.damage).toEqual([]);
    expect(loaded.entries).toEqual(JSON.parse(JSON.stringify(entries)));
    await store.append(key, [...entries, user('new', 'x')]);
    expect((await collect(store.load(key))).entries).toHaveLength(31);
  });
});

describe('appending', () => {
  test('[S-1] what append has resolved is in the file, in one write', async () => {
    const sizes: number[] = [];
    const { store, path } = makeStore({
      write: (fd, bytes, offset) => {
        sizes.push(bytes.length);
        return writeSync(fd, bytes, offset);
      },
    });
    await store.append(key, three);
    expect(readFileSync(path, 'utf8')).toBe(threeLines);
    expect(sizes).toEqual([Buffer.byteLength(threeLines)]);
  });

  test.each([0, 1, 50, 400])('[S-20] a disk that is full after %i bytes: nothing of the group stays', async (room) => {
    let left = Number.POSITIVE_INFINITY;
    const { store, path } = makeStore({
      write: (fd, bytes, offset) => {
        if (left <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        const written = writeSync(fd, bytes, offset, Math.min(left, bytes.length - offset));
        left -= written;
        return written;
      },
    });
    await store.append(key, three.slice(0, 1));
    const before = readFileSync(path, 'utf8');
    left = room;
    const failed = store.append(key, [...three.slice(1), user('d', 'x'.repeat(500))]);
    await expect(failed).rejects.toMatchObject({ code: 'storage_failed', facts: { path, code: 'ENOSPC' } });
    await expect(failed).rejects.toThrow(`${path}: the disk is full. Make room and resume`);
    expect(readFileSync(path, 'utf8')).toBe(before);

    left = Number.POSITIVE_INFINITY;
    await store.append(key, three.slice(1));
    expect(readFileSync(path, 'utf8')).toBe(threeLines);
  });

  test('what another process appended after a half write is not taken back', async () => {
    const foreign = `${JSON.stringify(user('foreign', 'x'))}\n`;
    let broken = true;
    const { store, path } = makeStore({
      write: (fd, bytes, offset) => {
        if (!broken) return writeSync(fd, bytes, offset);
        if (offset > 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        const written = writeSync(fd, bytes, 0, 10);
        appendFileSync(path, foreign);
        return written;
      },
    });
    await expect(store.append(key, three)).rejects.toMatchObject({ code: 'storage_failed' });
    broken = false;
    await store.append(key, three);
    const { entries, damage } = await collect(store.load(key));
    expect(uuids(entries)).toEqual(['foreign', 'a', 'b', 'c']);
    expect(damage).toEqual(['a torn record beside a whole one']);
  });

  test('[S-22] two stores on one session: whole lines, no uuid twice', async () => {
    const { store, home } = makeStore();
    const { store: other } = makeStore({ home });
    for (let i = 0; i < 50; i++) {
      await Promise.all([
        store.append(key, [user(`s${i}`, 'x'), user(`both${i}`, 'x')]),
        other.append(key, [user(`o${i}`, 'x'), user(`both${i}`, 'x')]),
      ]);
    }
    const { entries, damage } = await collect(store.load(key));
    expect(damage).toEqual([]);
    expect(new Set(uuids(entries)).size).toBe(150);
    expect(entries).toHaveLength(150);
  });

  test('a file deleted while in use is begun anew, aloud', async () => {
    const { store, path, notes } = makeStore();
    await store.append(key, three);
    rmSync(path);
    await store.append(key, [user('d', 'x')]);
    expect(uuids((await collect(store.load(key))).entries)).toEqual(['d']);
    expect(notes).toEqual([expect.stringContaining(path)]);
  });

  test('many sessions do not hold many files open', async () => {
    const { store } = makeStore();
    const sessions = Array.from({ length: 200 }, (_, i) => ({ ...key, agentId: `a${i}` }));
    for (const agent of [...sessions, ...sessions]) await store.append(agent, three);
    for (const agent of sessions.slice(0, 3)) expect((await collect(store.load(agent))).entries).toHaveLength(3);
  });

  test('a uuid that was only mentioned in the file is not taken for stored', async () => {
    const { store, prepare } = makeStore();
    prepare(`${JSON.stringify({ ...user('a', 'x'), toolUseResult: { uuid: 'b' } })}\n`);
    await store.append(key, three);
    expect(uuids((await collect(store.load(key))).entries)).toEqual(['a', 'b', 'c']);
  });

  test('a key with spaces around its colon counts as a uuid too', async () => {
    const { store, prepare } = makeStore();
    prepare('{"type": "user", "uuid" : "a", "message": {}}\n');
    await store.append(key, three);
    expect(uuids((await collect(store.load(key))).entries)).toEqual(['a', 'b', 'c']);
  });

  test('what cannot be JSON is refused and leaves the file as it is', async () => {
    const { store, path } = makeStore();
    await store.append(key, three);
    await expect(store.append(key, [user('d', 'x'), { type: 'user', n: 1n }])).rejects.toMatchObject({
      code: 'storage_failed',
    });
    expect(readFileSync(path, 'utf8')).toBe(threeLines);
  });
});
