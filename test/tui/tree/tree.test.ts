import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

let minute = 0;
const node = (uuid: string, parent_uuid: string | null, type: string, preview: string): JsonObject => ({
  ...{ uuid, parent_uuid, type, preview, timestamp: new Date(Date.UTC(2026, 0, 1, 10, minute++)).toISOString() },
  ...(type === 'user' && { is_prompt: true }),
});
/** A prompt with three answers to what comes next, and a result that hangs beside its call. */
const NODES = [
  node('u1', null, 'user', 'fix the login form'),
  node('a1', 'u1', 'assistant', 'Fixed.'),
  node('u2', 'a1', 'user', 'with a test'),
  node('a2', 'u2', 'assistant', 'Tested.'),
  { ...node('r2', 'a2', 'tool', 'ok'), type: 'user' as const },
  node('u3', 'r2', 'user', 'and a second test'),
  node('a3', 'u3', 'assistant', 'Twice.'),
  node('u4', 'a1', 'user', 'without one'),
  node('a4', 'u4', 'assistant', 'Without.'),
  node('u5', 'a1', 'user', 'in another file'),
  node('a5', 'u5', 'assistant', 'Elsewhere.'),
];
const TREE = { leaf_uuid: 'a4', leaves: ['a3', 'a4', 'a5'], nodes: NODES };
const said = (uuid: string, type: 'user' | 'assistant', text: string): JsonObject => ({
  ...{ type, uuid, isReplay: true },
  message:
    type === 'user'
      ? { role: 'user', content: text }
      : { id: uuid, role: 'assistant', content: [{ type: 'text', text }] },
});
const BRANCHES: Readonly<Record<string, JsonObject[]>> = {
  a3: [
    said('u1', 'user', 'fix the login form'),
    said('a1', 'assistant', 'Fixed.'),
    said('u2', 'user', 'with a test'),
    said('a3', 'assistant', 'Twice.'),
  ],
  a4: [
    said('u1', 'user', 'fix the login form'),
    said('a1', 'assistant', 'Fixed.'),
    said('u4', 'user', 'without one'),
    said('a4', 'assistant', 'Without.'),
  ],
  u2: [said('u2', 'user', 'with a test\nof every field')],
  u1: [said('u1', 'user', 'fix the login form')],
};

async function openTree({ tree = TREE as JsonObject, size = { columns: 80, rows: 24 } } = {}) {
  const asked: JsonObject[] = [];
  const noted = (answer: (request: JsonObject) => JsonObject) => (request: JsonObject) => {
    asked.push(request);
    return answer(request);
  };
  const rig = await openTerminal({
    size,
    answers: {
      session_tree: noted(() => tree),
      session_messages: noted((request) => {
        const messages = BRANCHES[String(request.leaf_uuid ?? 'a3')] ?? [];
        return { messages, total: messages.length };
      }),
      switch_leaf: noted((request) => ({
        leaf_uuid: request.leaf_uuid as string,
        ...(request.restore_files === true && {
          files: { canRewind: true, filesChanged: ['a', 'b', 'c'], insertions: 10, deletions: 4 },
        }),
      })),
      rewind_files: noted(() => ({ canRewind: true, filesChanged: ['a', 'b'], insertions: 41, deletions: 3 })),
      fork_session: noted(() => ({ session_id: 'copy-1' })),
    },
  });
  return { ...rig, asked };
}

test('[TUI-61] the tree shows lines without branches; Enter on one goes on behind it, and says what was left', async () => {
  const { terminal, sees, asked } = await openTree();
  terminal.type('\x1b');
  await sees('Escape again opens the tree');
  terminal.type('\x1b');
  const shown = await sees(/fix the login form · 3 branches/);
  expect(shown).toMatch(
    / {2}● fix the login form · 1 turn .*\n {2}├─○ with a test · 2 turns .*\n❯ ├─● without one · 1 turn .*◀ here\n {2}└─○ in another file · 1 turn/,
  );
  expect(asked).toEqual([{ subtype: 'session_tree', offset: 0, limit: 3000 }]);
  terminal.type('\x1b[A\r');
  const after = await sees(/── on the branch “with a test”, from .* · left: 1 turn \(\/tree\) ──/);
  expect(asked[1]).toEqual({ subtype: 'switch_leaf', leaf_uuid: 'a3' });
  expect(await sees('Twice.')).toMatch(/with a test[\s\S]*Twice\./);
  expect(after).not.toContain('◀ here');
});

test('[TUI-60] edit and resend switches nothing before it is sent; the line names the parent of the old prompt', async () => {
  const { terminal, sees, asked, received } = await openTree();
  terminal.type('/tree\r');
  await sees('◀ here');
  terminal.type('\x1b[A\x1b[C\x1b[Be'); // the line above, its prompts, the first of them
  await sees(/beside “with a test”: sent as another branch · esc leaves it/);
  await sees(/❯ with a test\n {2}of every field/);
  expect(asked.map(({ subtype }) => subtype)).toEqual(['session_tree', 'session_messages']);
  terminal.type('\x1b');
  await vi.waitFor(async () => expect(await terminal.shown()).not.toContain('sent as another branch'));
  await sees('❯ with a test');
  terminal.type('\x03/tree\r');
  await sees('◀ here');
  terminal.type('\x1b[H\x1b[C\x1b[B\r'); // Enter on a prompt is the same; the first one has no parent
  await sees('beside “fix the login form”');
  terminal.type(', please\r');
  await vi.waitFor(() =>
    expect(received.findLast(({ type }) => type === 'user')).toMatchObject({
      ...{ type: 'user', parentUuid: null, message: { role: 'user', content: 'fix the login form, please' } },
    }),
  );
  expect(await sees('❯ fix the login form, please')).not.toContain('esc leaves it');
});

test('with files: the dry run tells first, and the conversation alone stands first', async () => {
  const { terminal, sees, asked } = await openTree();
  terminal.type('/tree\r');
  await sees('◀ here');
  terminal.type('\x1b[Br');
  await sees(/Files as they were then: 3 files, \+10 −4[\s\S]*❯ 1 The conversation only/);
  const target = { subtype: 'switch_leaf', leaf_uuid: 'a5', restore_files: true };
  expect(asked.at(-1)).toEqual({ ...target, dry_run: true });
  terminal.type('\x1b[B\r');
  await sees('on the branch “in another file”');
  expect(asked).toContainEqual(target);
});

test('two branches are compared from where they part, side by side where there is room', async () => {
  const { terminal, sees } = await openTree({ size: { columns: 120, rows: 24 } });
  terminal.type('/tree\r');
  await sees('◀ here');
  terminal.type('\x1b[Ad');
  const shown = await sees(/without one {10,}.*│ ❯ with a test/);
  expect(shown).toMatch(/Without\. +│ Twice\./);
  expect(shown).not.toContain('Fixed.');
  terminal.type('q');
  await sees('◀ here');
});

test('[TUI-62] pages of 3,000 entries are asked for as one scrolls', async () => {
  const many = Array.from({ length: 3000 }, (_, at) =>
    node(`u${at}`, at === 0 ? null : `u${at - 1}`, 'user', `prompt ${at}`),
  );
  const asked: number[] = [];
  const { terminal, sees } = await openTerminal({
    answers: {
      session_tree(request) {
        asked.push(Number(request.offset));
        const rest = [node('x1', 'u10', 'user', 'a late branch'), node('x2', 'x1', 'assistant', 'Late.')];
        return { leaf_uuid: 'x2', leaves: ['u2999', 'x2'], total: 3002, nodes: request.offset === 0 ? many : rest };
      },
    },
  });
  terminal.type('/tree\r');
  await sees('3000 of 3002 entries');
  expect(asked).toEqual([0]);
  terminal.type('\x1b[B');
  await sees(/a late branch .*◀ here/);
  expect(asked).toEqual([0, 3000]);
});

test('/rewind tells what files would change, and offers the conversation alone first', async () => {
  const { terminal, sees, asked } = await openTree();
  terminal.type('/rewind\r');
  await sees(/Back to before · 2 other branches: \/tree/);
  await sees(/❯ without one[\s\S]*files: 2 files, \+41 −3/);
  expect(asked.at(-1)).toEqual({ subtype: 'rewind_files', user_message_id: 'u4', dry_run: true });
  terminal.type('\r');
  await sees(/❯ 1 The conversation only[\s\S]*2 Files only[\s\S]*3 Both/);
  terminal.type('\x1b[B\r');
  await sees('files as before that prompt: 2 files, +41 −3');
  expect(asked.at(-1)).toEqual({ subtype: 'rewind_files', user_message_id: 'u4' });
  expect(asked.map(({ subtype }) => subtype)).not.toContain('switch_leaf');
});
