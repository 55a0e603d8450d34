import { expect, test, vi } from 'vitest';
import { App } from '../../../src/tui/app/app.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createViewTracker } from '../../../src/view/tracker.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { openTerminal } from './open-terminal.ts';

const init = {
  type: 'system',
  subtype: 'init',
  session_id: 's-1',
  model: 'sonnet',
  permissionMode: 'default',
  cwd: '/project',
  tools: [],
};
const event = (body: JsonObject): JsonObject => ({
  type: 'stream_event',
  event: body,
  parent_tool_use_id: null,
  session_id: 's-1',
  uuid: 'e',
});
const delta = (text: string) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const begin = [
  event({ type: 'message_start', message: { id: 'm1', role: 'assistant', content: [], usage: {} } }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
];
const said = (text: string): JsonObject => ({
  ...{ type: 'assistant', uuid: 'a-1', session_id: 's-1', parent_tool_use_id: null },
  message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text }] },
});
const resultOf = (text: string): JsonObject => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  duration_ms: 5,
  num_turns: 1,
  usage: {},
  total_cost_usd: 0,
  session_id: 's-1',
  uuid: 'r',
});

test('[TUI-02, TUI-03] the prompt is painted before the session is open; what is typed meanwhile is the editor’s', async () => {
  const terminal = createFakeTerminal();
  const { near, far } = memoryPair();
  let connect = () => {};
  const opened = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const app = new App({
    ...{ terminal, cwd: '/project', version: '1.2.3', tracker: createViewTracker(), env: { NO_COLOR: '1' } },

    connect: () => opened.then(() => near),
    newId: () => 'id',
    now: Date.now,
    ...{ home: null, isKept: false, sessionId: null },
  });
  const ended = app.run();
  expect(await terminal.shown()).toMatch(/^\n?❯/);
  terminal.type('early');
  expect(await terminal.shown()).toContain('❯ early');
  near.settle({ code: 0, signal: null, stderr: '' });
  far.endInput();
  connect();
  await app.leave(0);
  await ended;
});

test('[TUI-11, TUI-21] an answer streams: finished rows go to the scrollback, the rest is live', async () => {
  const { terminal, send, sees, received } = await openTerminal();
  terminal.type('hi there\r');
  await vi.waitFor(() =>
    expect(received).toContainEqual(expect.objectContaining({ type: 'user', uuid: expect.any(String) })),
  );
  await send(init, ...begin, delta('First para'), delta('graph.\n\nSecond'));
  await sees(/❯ hi there\n\nFirst paragraph\.\n\nSecond/);
  expect(await terminal.shown()).toMatch(/esc interrupts/);
  await send(delta(' one.'), said('First paragraph.\n\nSecond one.'), resultOf('First paragraph.\n\nSecond one.'));
  const shown = await sees(/Second one\.\n\n❯\s*\n {2}sonnet/);
  expect(shown.match(/First paragraph/g)).toHaveLength(1);
  expect(terminal.emulator.effects).toEqual([]);
});

test('[TUI-31] an interrupt takes back what waits: it stands in the editor, and nothing is sent by itself', async () => {
  const { terminal, send, sees, received } = await openTerminal();
  terminal.type('one\r');
  await send(init, ...begin, delta('working'));
  await sees('working');
  terminal.type('two\r');
  await sees('⋯ two');
  terminal.type('draft');
  terminal.type('\x1b');
  await vi.waitFor(() =>
    expect(received).toContainEqual(
      expect.objectContaining({ request: { subtype: 'interrupt', cancel_queued: true } }),
    ),
  );
  await sees(/❯ two\n\n {2}draft/);
  expect(received.filter(({ type }) => type === 'user')).toHaveLength(2);
});

test('a question is asked below the scrollback, and its answer is on the wire', async () => {
  // The clock stands still until the first digit, however long the machine takes.
  let stopped: number | null = Date.now();
  const { terminal, send, sees, received } = await openTerminal({ now: () => stopped ?? Date.now() });
  terminal.type('go\r');
  await send(init, ...begin);
  await send({
    ...{ type: 'control_request', request_id: 'q-1' },
    request: {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      tool_use_id: 't',
      input: { command: 'rm x' },
      title: 'Heddle wants to run: rm x',
    },
  });
  await sees('Heddle wants to run: rm x');
  terminal.type('1'); // too early: it was meant for the editor
  expect(received.some(({ type }) => type === 'control_response')).toBe(false);
  await sees('❯ 1');
  stopped = null;
  terminal.type('\x7f');
  await sees('esc: no');
  await new Promise((resolve) => setTimeout(resolve, 320));
  terminal.type('1');
  await vi.waitFor(() =>
    expect(received).toContainEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'q-1', response: { behavior: 'allow' } },
    }),
  );
  await sees('✓ allowed once');
});

test('[TUI-15] a terminal that cannot follow gets no frames until it has caught up', async () => {
  const { terminal, send, sees } = await openTerminal();
  terminal.type('go\r');
  await send(init, ...begin, delta('a'));
  await sees('a');
  terminal.isQuick = false;
  await send(delta('b'));
  await sees('ab');
  const before = terminal.bytes.length;
  for (let at = 0; at < 50; at++) await send(delta(`c${at}\n\n`));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(terminal.bytes.length).toBe(before);
  terminal.isQuick = true;
  terminal.drain();
  await sees(/c48\n\nc49/);
});

test('[TUI-14, TUI-20] it fits any window', async () => {
  const { terminal, sees, send } = await openTerminal({ size: { columns: 40, rows: 12 } });
  terminal.type('go\r');
  await send(init, ...begin, delta('line\n'.repeat(30)));
  await sees('line');
  for (const [columns, rows] of [
    [20, 6],
    [9, 2],
    [3, 1],
    [100, 40],
  ] as const) {
    terminal.resize(columns, rows);
    await new Promise((resolve) => setTimeout(resolve, 180));
    terminal.type('x');
  }
  await sees('xxxx');
  expect(terminal.emulator.effects.filter((effect) => !effect.startsWith('answer'))).toEqual([]);
});

test('[TUI-33] Ctrl+D twice leaves: the live rows are gone, and the session is named', async () => {
  const { terminal, send, sees, ended } = await openTerminal();
  terminal.type('hi\r');
  await send(init, ...begin, said('Hello'), resultOf('Hello'));
  await sees(/Hello/);
  terminal.type('\x04');
  await sees('again leaves');
  terminal.type('\x04');
  const { exitCode, lines } = await ended;
  expect(exitCode).toBe(0);
  expect(lines.join('\n')).toContain('heddle -r s-1');
  const shown = await terminal.shown();
  expect(shown).not.toContain('again leaves');
  expect(shown.trimEnd().endsWith('Hello')).toBe(true);
  expect(terminal.isEntered).toBe(false);
});

test('/help, /mode and commands of the session', async () => {
  const { terminal, sees, received } = await openTerminal();
  terminal.type('/help\r');
  await sees('/compact [what]');
  terminal.type('/mode plan\r');
  await vi.waitFor(() =>
    expect(received).toContainEqual(
      expect.objectContaining({ request: { subtype: 'set_permission_mode', mode: 'plan' } }),
    ),
  );
  terminal.type('/clear\r');
  await vi.waitFor(() =>
    expect(received.findLast(({ type }) => type === 'user')).toMatchObject({ message: { content: '/clear' } }),
  );
});

test('a terminal that is gone ends the session when its turn is over, with exit code 129', async () => {
  const { terminal, send, sees, ended } = await openTerminal();
  terminal.type('hi\r');
  await send(init, ...begin, delta('working'));
  await sees('working');
  terminal.hangUp();
  await send(said('working'), resultOf('working'));
  expect((await ended).exitCode).toBe(129);
});
