import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const prompt = (uuid: string, text: string): JsonObject => ({
  ...{ type: 'user', uuid, session_id: 's-1', parent_tool_use_id: null, isReplay: true },
  message: { role: 'user', content: text },
});
const answer = (uuid: string, ...content: JsonObject[]): JsonObject => ({
  ...{ type: 'assistant', uuid, session_id: 's-1', parent_tool_use_id: null },
  message: { id: uuid, role: 'assistant', content },
});
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const bash = (id: string, command: string): JsonObject => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
const result = (id: string, content: string): JsonObject => ({
  ...{ type: 'user', uuid: `r-${id}`, session_id: 's-1', parent_tool_use_id: null, isReplay: true },
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
});

const lines = (count: number) => Array.from({ length: count }, (_, at) => `output ${at + 1}`).join('\n');
/** Two pages: the second one begins with the result of a call on the first. */
const FIRST = [
  prompt('u-1', 'the very first'),
  answer('a-1', text('An old answer.')),
  answer('a-2', bash('t-1', 'ls')),
];
const LAST = [
  result('t-1', 'late result'),
  prompt('u-2', 'count to a hundred'),
  answer('a-3', { type: 'thinking', thinking: 'a deep thought', signature: '' }),
  answer('a-4', bash('t-2', 'seq 100')),
  result('t-2', lines(100)),
  answer('a-5', text('Counted \u4f60\u597d.')),
];

async function openTranscript(options: Parameters<typeof openTerminal>[0] = {}) {
  const asked: JsonObject[] = [];
  const rig = await openTerminal({
    answers: {
      session_messages(request) {
        asked.push(request);
        return request.before === 'r-t-1'
          ? { messages: FIRST, total: 9 }
          : { messages: LAST, total: 9, before: 'r-t-1' };
      },
    },
    ...options,
  });
  rig.terminal.type('\x0f');
  await rig.sees('9 messages');
  return { ...rig, asked };
}

test('[TUI-05] Ctrl+O reads the conversation from the session, whole, page by page as one scrolls up', async () => {
  const { terminal, sees, asked, app } = await openTranscript();
  expect(await sees('Counted 你好.')).toMatch(/output 100\n\nCounted/);
  expect(asked[0]).toEqual({ subtype: 'session_messages', limit: 200 });
  app.print(['said meanwhile']);
  terminal.type('{');
  expect(await sees(/❯ count to a hundred/)).toMatch(/a deep thought/);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toEqual({ subtype: 'session_messages', before: 'r-t-1', limit: 200 });
  terminal.type('g');
  const top = await sees('the very first');
  expect(top).toMatch(/An old answer\.[\s\S]*ls[\s\S]*late result/);
  terminal.type('q');
  expect(await sees('said meanwhile')).not.toContain('the very first');
});

test('the pager has the keys of less: rows, windows, search in both directions', async () => {
  const { terminal, sees } = await openTranscript();
  await sees('output 100');
  terminal.type('b');
  await sees(/output 8\d\n[\s\S]*messages/);
  terminal.type('/');
  await sees(/\n\/█/);
  terminal.type('Output 5');
  await sees('/Output 5█');
  terminal.type('\x7f\x1b'); // Escape ends the search, not the pager
  await sees('9 messages');
  terminal.type('/very first\r');
  await sees('N searches above');
  terminal.type('N');
  await sees('❯ the very first');
  terminal.type('G');
  await sees(/end ·/);
  terminal.type('/a-b [c\r'); // signs that mean something in a pattern
  await sees('end · not found below');
  expect(await terminal.shown()).toContain('Counted');
});

test('e folds a block to what the scrollback has, y copies its text, [ prints all of it and leaves', async () => {
  const { terminal, sees } = await openTranscript({ size: { columns: 80, rows: 14 } });
  await sees('output 100');
  terminal.type('{');
  await sees(/❯ count to a hundred/);
  terminal.type('y');
  await sees('Copied through the terminal');
  const copied = Buffer.from('count to a hundred').toString('base64');
  expect(terminal.bytes.join('')).toContain(`\x1b]52;c;${copied}\x07`);
  terminal.type('jjjj');
  await sees(/Bash seq 100/);
  terminal.type('\x05'); // Ctrl+E: all of them
  await sees('… 95 rows: ctrl+o');
  terminal.type('\x05[');
  const after = await sees(/Counted[\s\S]*❯/);
  expect(after).not.toContain('9 messages');
  expect(after).toContain('output 37');
});
