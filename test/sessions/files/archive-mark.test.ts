import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  archiveSession,
  deleteSession,
  renameSession,
  tagSession,
} from '../../../src/sessions/stored/change-session.ts';
import { listSessions, sessionSummary } from '../../../src/sessions/stored/list-sessions.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { sessionHome, type Written } from '../session-home.ts';
import { assistant, user } from '../support.ts';

const EARLIER = '2025-01-01T00:00:00.000Z';
const LATER = '2026-06-01T00:00:00.000Z';
const now = () => Date.parse('2026-02-03T04:05:06.789Z');

const archive = (found: Written) => archiveSession(found, { archived: true, now });
const archivedIn = ({ path }: Written) => sessionSummary(path)?.archived;

function add({ path }: Written, ...entries: Entry[]): void {
  appendFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

function spoken() {
  const place = sessionHome();
  const found = place.session([
    user('u1', 'hi', { at: EARLIER }),
    assistant('a1', 'hello', { parent: 'u1', at: EARLIER }),
  ]);
  return { ...place, found };
}

describe('the mark of an archived session', () => {
  test('[B-099] stands in a private file beside the transcript, which stays as it is', async () => {
    const { found } = spoken();
    const before = readFileSync(found.path, 'utf8');
    expect(sessionSummary(found.path)).not.toHaveProperty('archived');
    await archive(found);
    expect(readFileSync(found.path, 'utf8')).toBe(before);
    const mark = found.path.replace('.jsonl', '.archived.json');
    expect(readFileSync(mark, 'utf8')).toBe('{"archived":true,"at":"2026-02-03T04:05:06.789Z"}\n');
    expect(statSync(mark).mode & 0o777).toBe(0o600);
    expect(archivedIn(found)).toBe(true);
    await archiveSession(found, { archived: false, now });
    expect(archivedIn(found)).toBe(false);
  });

  test('[B-099] a prompt that is sent later takes it away; nothing else does', async () => {
    const { found } = spoken();
    await archive(found);
    await renameSession(found, 'A title');
    await tagSession(found, 'x');
    const told = { isMeta: true, at: LATER };
    add(found, assistant('a2', 'an answer that was still running', { parent: 'a1', at: LATER }));
    add(found, user('m1', 'told by the runtime', { parent: 'a2', ...told }));
    add(found, user('s1', 'said to an agent', { parent: 'a2', isSidechain: true, at: LATER }));
    expect(archivedIn(found)).toBe(true);
    add(found, user('u2', 'go on', { parent: 'a2', at: LATER }), assistant('a3', 'well', { parent: 'u2', at: LATER }));
    expect(archivedIn(found)).toBe(false);
  });

  test('[B-099] lists have it, and leave it out before they are cut into pages', async () => {
    const { home, session } = sessionHome();
    const [first, second, third] = [1, 2, 3].map((age) => session([user('u', `no. ${age}`)], { age }));
    if (!first || !second || !third) throw new Error('unreachable');
    await archive(second);
    expect((await listSessions({ home })).map(({ archived }) => archived)).toEqual([undefined, true, undefined]);
    const shown = await listSessions({ home, hideArchived: true, limit: 2 });
    expect(shown.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, third.sessionId]);
  });

  test('a mark that cannot be read is none', async () => {
    const { found } = spoken();
    for (const text of ['', '[]', '{"archived":true']) {
      writeFileSync(found.path.replace('.jsonl', '.archived.json'), text);
      expect(sessionSummary(found.path)).toMatchObject({ summary: 'hi' });
      expect(archivedIn(found)).toBeUndefined();
    }
  });

  test('goes to the trash with its session', async () => {
    const { home, found } = spoken();
    await archive(found);
    const { movedTo } = await deleteSession(found, { home, now });
    const mark = basename(found.path).replace('.jsonl', '.archived.json');
    expect(existsSync(join(movedTo, mark))).toBe(true);
    expect(existsSync(found.path.replace('.jsonl', '.archived.json'))).toBe(false);
    await expect(archive(found)).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
