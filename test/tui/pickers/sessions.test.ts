import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { getSessionInfo } from '../../../src/sdk/stored/sessions.ts';
import { projectSlug } from '../../../src/sessions/files/project-slug.ts';
import { openTerminal } from '../app/open-terminal.ts';

const ID = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

/** A config home with sessions of a directory, the newest first. */
function homeWith(texts: readonly string[]): { home: string; cwd: string } {
  const home = mkdtempSync(join(tmpdir(), 'heddle-home-'));
  const cwd = mkdtempSync(join(tmpdir(), 'heddle-project-'));
  const folder = join(home, 'projects', projectSlug(cwd));
  mkdirSync(folder, { recursive: true });
  for (const [at, text] of texts.entries()) {
    const path = join(folder, `${ID(at)}.jsonl`);
    const common = { sessionId: ID(at), cwd, version: '2', isSidechain: false, timestamp: '2026-01-02T03:04:05.000Z' };
    const user = {
      ...common,
      type: 'user',
      uuid: `u${at}`,
      parentUuid: null,
      message: { role: 'user', content: text },
    };
    const answer = { role: 'assistant', id: 'm', content: [{ type: 'text', text: `about ${text}` }] };
    const said = { ...common, type: 'assistant', uuid: `a${at}`, parentUuid: `u${at}`, message: answer };
    writeFileSync(path, `${JSON.stringify(user)}\n${JSON.stringify(said)}\n`);
    const time = new Date(Date.UTC(2026, 0, 2) - at * 3_600_000);
    utimesSync(path, time, time);
  }
  return { home, cwd };
}

test('/resume lists the sessions of the directory, filters, previews, and goes to one in place', async () => {
  const place = homeWith(['fix the login form', 'write a parser', '漢字を数える']);
  const history = [
    { type: 'user', uuid: 'u1', isReplay: true, message: { role: 'user', content: 'write a parser' } },
    {
      type: 'assistant',
      uuid: 'a1',
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    },
  ];
  const { terminal, sees, received, targets } = await openTerminal({
    ...place,
    answers: { session_messages: () => ({ messages: history, total: 42 }) },
  });
  terminal.type('/resume\r');
  const list = await sees(/Sessions of this directory\s+· 3/);
  expect(list).toMatch(/❯ fix the login form · .*\n {2}write a parser · .*\n {2}漢字を数える · /);
  await sees(/fix the login form · .*1 turn/);
  terminal.type('par');
  await sees(/directory par · 1 of 3/);
  terminal.type('\x10');
  await sees('about write a parser');
  terminal.type('\r');
  const after = await sees(/40 earlier messages \(ctrl\+o\)\n\n❯ write a parser\n\nDone\./);
  expect(after).toContain('heddle 1.2.3');
  expect(targets).toEqual([undefined, { resume: ID(1) }]);
  expect(received.filter(({ request }) => (request as { subtype?: string })?.subtype === 'initialize')).toHaveLength(2);
  terminal.type('and now\r');
  await vi.waitFor(() =>
    expect(received.findLast(({ type }) => type === 'user')).toMatchObject({
      type: 'user',
      message: { content: 'and now' },
    }),
  );
});

test('sessions are renamed, archived and put into the trash from the list; the trash asks, and No stands first', async () => {
  const place = homeWith(['first session', 'second session']);
  const { terminal, sees } = await openTerminal({ ...place });
  terminal.type('/sessions\r');
  await sees(/❯ first session/);
  terminal.type('\x12');
  await sees(/Title:/);
  terminal.type('My title\r');
  await sees(/❯ My title · /);
  expect((await getSessionInfo(ID(0), { home: place.home }))?.customTitle).toBe('My title');
  terminal.type('\x01');
  await sees(/❯ second session/);
  expect(await terminal.shown()).not.toContain('My title ·');
  expect((await getSessionInfo(ID(0), { home: place.home }))?.archived).toBe(true);
  terminal.type('\x05');
  await sees(/My title · .*archived/);
  terminal.type('\x1b[H\x04');
  await sees(/Move “.*” to the trash\?.*\n❯ 1 No/);
  terminal.type('\r');
  await sees('Sessions of this directory');
  terminal.type('second\x04');
  await sees('“second session” to the trash?');
  terminal.type('\x1b[B\r');
  await vi.waitFor(async () => expect(await getSessionInfo(ID(1), { home: place.home })).toBeUndefined());
});

test('a session that cannot be opened leaves the terminal in the one before', async () => {
  const place = homeWith(['the only one']);
  const { terminal, sees, targets, received } = await openTerminal({ ...place, refuses: 'It is in use elsewhere' });
  terminal.type(`/resume ${ID(0)}\r`);
  await sees('It is in use elsewhere');
  await vi.waitFor(() => expect(targets).toEqual([undefined, { resume: ID(0) }, undefined]));
  terminal.type('still here\r');
  await vi.waitFor(() =>
    expect(received.findLast(({ type }) => type === 'user')).toMatchObject({
      type: 'user',
      message: { content: 'still here' },
    }),
  );
});

test('a terminal that has joined a session goes to no other one, and tells how to', async () => {
  const { terminal, sees, targets, received } = await openTerminal({
    isGuest: true,
    answers: { fork_session: () => ({ session_id: 'the-copy' }) },
  });
  terminal.type('/resume\r');
  await sees(
    /joined a session[\s\S]*heddle attach SESSION joins one that runs\n\s+heddle -r SESSION continues another/,
  );
  terminal.type('/resume abc\r');
  await sees('heddle -r abc');
  terminal.type('/fork\r');
  await sees('2 Go there');
  terminal.type('2');
  await sees('heddle -r the-copy');
  expect(targets).toEqual([undefined]);
  expect(JSON.stringify(received)).not.toContain('"end_input"');
});
