import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answer, begun, opening, piece, result, system } from '../../view/lines.ts';
import { openTerminal } from './open-terminal.ts';

/** What the terminal costs, counted: bytes, rows, timers. `npm run bench -- --only terminal` measures the time. */

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** Waits until no more than so many are left: notices and frames end by themselves. */
async function least(count = 0): Promise<void> {
  const patience = performance.now() + (count === 0 ? 1000 : 15_000);
  while (timers() > count && performance.now() < patience) await setImmediate();
}

test('[TUI-15] without work there is no timer at all', async () => {
  await least();
  const before = timers();
  const { terminal, send, sees } = await openTerminal();
  terminal.type('a key');
  await sees('❯ a key');
  await send(system('init', { session_id: 's' }), begun('m1'), opening({ type: 'text', text: '' }), piece('working'));
  await sees('working');
  expect(timers()).toBeGreaterThan(before);
  await send(answer('m1', { type: 'text', text: 'working' }), result());
  await sees(/working\n\n❯/);
  await least(before);
  expect(timers()).toBeLessThanOrEqual(before);
});

test('a key costs as many bytes behind ten thousand rows as behind none, and draws its own row only', async () => {
  const { terminal, send, sees } = await openTerminal();
  const typed = () => {
    const from = terminal.bytes.length;
    for (let at = 0; at < 40; at++) terminal.type('k');
    const frames = terminal.bytes.slice(from);
    for (let at = 0; at < 40; at++) terminal.type('\x7f');
    return frames;
  };
  const early = typed();
  const text = Array.from({ length: 10_000 }, (_, at) => `- item ${at}`).join('\n');
  await send(begun('m1'), answer('m1', { type: 'text', text }), result());
  await sees('- item 9999');
  const late = typed();
  const size = (frames: readonly string[]) => frames.join('').length / frames.length;
  expect(size(late)).toBeLessThanOrEqual(200);
  expect(Math.abs(size(late) - size(early))).toBeLessThan(size(early) / 10);
  // The row itself, and again up to the caret.
  for (const frame of late.slice(2)) expect(frame.match(/k+/g)).toHaveLength(2);
  expect(late.join('')).not.toContain('item');
});

test('pieces of an answer cost what they add: no row is written twice once it is finished', async () => {
  const { terminal, send, sees } = await openTerminal();
  await send(begun('m1'), opening({ type: 'text', text: '' }));
  await sees('❯');
  const from = terminal.bytes.length;
  const words = Array.from({ length: 2000 }, (_, at) => `word${at}${at % 10 === 9 ? '\n\n' : ' '}`);
  for (const word of words) await send(piece(word));
  await send(answer('m1', { type: 'text', text: words.join('') }), result());
  await sees('word1999');
  const written = terminal.bytes.slice(from).join('');
  expect(written.length / words.length).toBeLessThanOrEqual(150);
  const shown = await terminal.shown();
  for (const at of [0, 7, 500, 1999]) expect(shown.match(new RegExp(`word${at}\\b`, 'g'))).toHaveLength(1);
});

test('a resize draws the live rows again, and nothing else', async () => {
  const { terminal, send, sees } = await openTerminal();
  await send(begun('m1'), answer('m1', { type: 'text', text: 'A row.\n\n'.repeat(500) }), result());
  await sees(/A row\.\n\n❯/);
  terminal.type('draft');
  const from = terminal.bytes.length;
  terminal.resize(50, 18);
  await expect.poll(() => terminal.bytes.length).toBeGreaterThan(from + 1);
  const written = terminal.bytes.slice(from).join('');
  expect(written).not.toContain('A row.');
  expect(written.length).toBeLessThanOrEqual(4096);
});
