import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createJsonlStore, type JsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { collect, tempDir, user, uuids } from '../support.ts';

const sessionId = '00000000-0000-4000-8000-000000000001';
const here = { project: '/projects/here', sessionId };
const there = { project: '/projects/there', sessionId };

let home: string;
let store: JsonlStore;
beforeEach(() => {
  home = tempDir();
  store = createJsonlStore({ home, log: () => {} });
});

const fileOf = (slug: string) => join(home, 'projects', slug, `${sessionId}.jsonl`);
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').length;

async function found(key = here): Promise<unknown[]> {
  return uuids((await collect(store.load(key))).entries);
}

describe('a session of another project', () => {
  test('[SES-21] is not seen until it is looked for; then every key with its id leads there', async () => {
    await store.append(there, [user('a', 'a')]);
    expect(await store.exists(here)).toBe(false);
    expect(await store.find(sessionId)).toEqual({ project: '-projects-there', sessionId });

    expect(await store.exists(here)).toBe(true);
    expect(store.locate(here)).toBe(fileOf('-projects-there'));
    await store.append(here, [user('a', 'a'), user('b', 'b')]);
    expect(await found()).toEqual(['a', 'b']);
    expect(linesOf(fileOf('-projects-there'))).toBe(2);
    expect(existsSync(dirname(fileOf('-projects-here')))).toBe(false);
  });

  test('has its subagents beside it, also new ones', async () => {
    await store.append(there, [user('a', 'a')]);
    await store.find(sessionId);
    await store.append({ ...here, agentId: 'x1' }, [user('b', 'b')]);
    const path = join(home, 'projects/-projects-there', sessionId, 'subagents/agent-x1.jsonl');
    expect(store.locate({ ...here, agentId: 'x1' })).toBe(path);
    expect(linesOf(path)).toBe(1);
  });

  test('gives way to a session of the same id in the own project', async () => {
    await store.append(there, [user('a', 'a')]);
    await store.find(sessionId);
    mkdirSync(dirname(fileOf('-projects-here')), { recursive: true });
    writeFileSync(fileOf('-projects-here'), `${JSON.stringify(user('own', 'own'))}\n`);
    expect(await found()).toEqual(['own']);
  });

  test('the one written to last is found, and files that are none are passed over', async () => {
    await store.append(here, [user('a', 'a')]);
    await store.append(there, [user('b', 'b')]);
    mkdirSync(fileOf('-projects-odd'), { recursive: true });
    writeFileSync(join(home, 'projects/file'), '');
    utimesSync(fileOf('-projects-there'), 1, 1);
    expect(await store.find(sessionId)).toMatchObject({ project: '-projects-here' });
  });

  test('is forgotten when it is removed', async () => {
    await store.append(there, [user('a', 'a')]);
    await store.find(sessionId);
    await store.remove(here);
    expect(existsSync(fileOf('-projects-there'))).toBe(false);
    expect(store.locate(here)).toBe(fileOf('-projects-here'));
    expect(await store.find(sessionId)).toBeNull();
  });

  test('a long path is found, too', async () => {
    const project = `/projects/${'deep/'.repeat(80)}`;
    await store.append({ project, sessionId }, [user('a', 'a')]);
    const key = await store.find(sessionId);
    expect(key && (await found(key))).toEqual(['a']);
  });
});

describe('uuids that the caller vouches for', () => {
  const entry = (uuid: string) => user(uuid, uuid);

  test('are not looked for, and are known from then on', async () => {
    await store.append(here, [entry('a')]);
    await store.close?.();
    await store.append(here, [entry('b')], { areNew: true });
    await store.append(here, [entry('a'), entry('b'), entry('c')]);
    expect(await found()).toEqual(['a', 'b', 'c']);
  });

  test('what others wrote meanwhile is found out with the next that is looked for', async () => {
    const other = createJsonlStore({ home, log: () => {} });
    await store.append(here, [entry('a')]);
    await other.append(here, [entry('b')]);
    await store.append(here, [entry('c')], { areNew: true });
    await other.append(here, [entry('d')]);
    await store.append(here, [entry('e')], { areNew: true });
    await store.append(here, ['a', 'b', 'c', 'd', 'e', 'f'].map(entry));
    expect(await found()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await other.close?.();
  });

  test('[S-9] a torn end stays a line of its own', async () => {
    await store.append(here, [entry('a')]);
    await store.close?.();
    writeFileSync(fileOf('-projects-here'), '{"type":"user","uu', { flag: 'a' });
    await store.append(here, [entry('b')], { areNew: true });
    const { entries, damage } = await collect(store.load(here));
    expect(uuids(entries)).toEqual(['a', 'b']);
    expect(damage).toHaveLength(1);
  });
});
