import { expect, test } from 'vitest';
import { NO_COLOURS, toRow } from '../../../src/tui/rows/row.ts';
import type { Pager } from '../../../src/tui/stage/pager.ts';
import type { Picker } from '../../../src/tui/stage/picker.ts';
import { openTerminal } from './open-terminal.ts';

const row = (text: string) => toRow([{ text }], NO_COLOURS);

function listOf(words: readonly string[]): Picker & { told: unknown[]; wasClosed: boolean } {
  const told: unknown[] = [];
  return {
    ...{ context: 'Select', hint: 'enter chooses', told, wasClosed: false },
    rows: () => ({ rows: words.map(row), caret: { row: 0, before: row('') } }),
    take: (input) => void told.push(input),
    closed() {
      this.wasClosed = true;
    },
  };
}

test('a list over the editor has the keys until Escape closes it; the draft stays', async () => {
  const { terminal, sees, app } = await openTerminal();
  terminal.type('a draft');
  const list = listOf(['first', 'second']);
  app.pick(list);
  expect(await sees('enter chooses')).toContain('first');
  terminal.type('x');
  terminal.type('\x1b[B');
  await sees('second');
  expect(list.told).toEqual([
    { type: 'pick', action: null, text: 'x' },
    { type: 'pick', action: 'select:next', key: 'down' },
  ]);
  terminal.type('\x1b');
  await sees(/❯ a draft/);
  await expect.poll(() => list.wasClosed).toBe(true);
  expect(await terminal.shown()).not.toContain('enter chooses');
});

test('the pager fills the other screen; what is said meanwhile is in the scrollback afterwards, once', async () => {
  const { terminal, sees, app } = await openTerminal();
  const keys: string[] = [];
  let takesText = false;
  const pager: Pager = {
    get takesText() {
      return takesText;
    },
    rows: ({ rows }) => Array.from({ length: rows }, (_, at) => row(`line ${at + 1}`)),
    take: ({ key }) => void keys.push(key),
    closed: () => void keys.push('closed'),
  };
  app.page(pager);
  expect(await sees('line 20')).not.toContain('heddle 1.2.3');
  app.print(['said meanwhile']);
  terminal.type('j');
  takesText = true;
  terminal.type('q');
  takesText = false;
  terminal.resize(40, 12);
  await sees(/line 12\n?$/);
  terminal.type('q');
  const after = await sees('said meanwhile');
  expect(after.match(/said meanwhile/g)).toHaveLength(1);
  expect(after).toContain('heddle 1.2.3');
  expect(keys).toEqual(['j', 'q', 'closed']);
});

test('a terminal that is left while the pager is open shows its own screen', async () => {
  const { terminal, sees, app, ended } = await openTerminal();
  app.page({ takesText: false, rows: () => [row('in the pager')], take() {}, closed() {} });
  await sees('in the pager');
  await app.leave(0);
  await ended;
  const shown = await terminal.shown();
  expect(shown).not.toContain('in the pager');
  expect(shown).toContain('heddle 1.2.3');
});
