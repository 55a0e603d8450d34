import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Row, SIXTEEN_COLOURS, type Style, toRow } from '../../../src/tui/rows/row.ts';
import { createWidths } from '../../../src/tui/rows/widths.ts';
import { wrapSpans } from '../../../src/tui/rows/wrap.ts';
import { reflowFamilyOf } from '../../../src/tui/screen/reflow.ts';
import { type Frame, Screen } from '../../../src/tui/screen/screen.ts';
import { createEmulator, type Emulator } from '../../support/emulator.ts';

/** Hundreds of windows in an emulator: seconds, or a minute where other work runs. */
vi.setConfig({ testTimeout: 120_000 });

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const FORBIDDEN = /\x1b\[[23]J|\x1b\[[\d;]*[rLMSTHf]|\x1bM|\x1b\[\?(47|1047|1049)/;

const ROWS = [
  'plain text',
  'a',
  'the quick brown fox jumps',
  '日本語の文章',
  'mixed 中文 and text',
  'x'.repeat(30),
  '',
];

const words = fc
  .array(fc.constantFrom(...ROWS, 'é combined é'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));
const style = fc.constantFrom<Style | undefined>(undefined, 'strong', 'added', 'dim');
const step = fc.record({
  commit: fc.array(fc.tuple(words, style), { maxLength: 4 }),
  live: fc.array(fc.tuple(words, style), { minLength: 1, maxLength: 12 }),
  caret: fc.nat(40),
  caretRow: fc.nat(12),
});
/** As the layout of the terminal makes them: a few rows, of which most are short. */
const usual = step.map((each) => ({
  ...each,
  live: each.live
    .slice(0, 6)
    .map(([text, styled], index): [string, Style | undefined] => [index === 0 ? text : text.slice(0, 60), styled]),
}));
/** As people have them. */
const window = fc.record({ columns: fc.integer({ min: 40, max: 119 }), rows: fc.integer({ min: 10, max: 39 }) });
const size = fc.record({ columns: fc.integer({ min: 20, max: 90 }), rows: fc.integer({ min: 5, max: 30 }) });

interface Rig {
  emulator: Emulator;
  screen: Screen;
  committed: string[];
  bytes: string[];
}

function openRig(options: { columns: number; rows: number; reflows?: boolean; today?: boolean }): Rig {
  const widths = createWidths({ byGraphemes: false, ambiguousWide: false });
  const family = options.reflows === false ? 'none' : 'all-but-cursor';
  return {
    emulator: createEmulator(options),
    screen: new Screen({ size: options, widths, family }),
    committed: [],
    bytes: [],
  };
}

const widths = createWidths({ byGraphemes: false, ambiguousWide: false });

function rowOf(text: string, styled: Style | undefined): Row {
  return toRow([{ text, ...(styled && { styles: [styled] }) }], SIXTEEN_COLOURS);
}

/** Live rows as the layout makes them: each fits. */
function frameOf(
  each: { commit: [string, Style | undefined][]; live: [string, Style | undefined][]; caret: number; caretRow: number },
  { columns, rows }: { columns: number; rows: number },
): Frame & { texts: string[]; before: string } {
  const live = each.live.slice(0, rows - 1).map(([text, styled]): [string, Style | undefined] => {
    const [line = []] = wrapSpans([{ text }], { width: columns - 1, widths });
    return [line.map((span) => span.text).join(''), styled];
  });
  const row = Math.min(each.caretRow, live.length - 1);
  const text = live[row]?.[0] ?? '';
  const before = widths
    .clusters(text)
    .slice(0, each.caret)
    .map((cluster) => cluster.text)
    .join('');
  return {
    commit: each.commit.map(([text, styled]) => rowOf(text, styled)),
    live: live.map(([text, styled]) => rowOf(text, styled)),
    caret: { row, before: rowOf(before, live[row]?.[1]) },
    texts: live.map(([text]) => text),
    before,
  };
}

async function put(rig: Rig, bytes: string): Promise<void> {
  rig.bytes.push(bytes);
  await rig.emulator.write(bytes);
}

function trimmed(lines: readonly string[]): string[] {
  const all = lines.map((line) => line.trimEnd());
  while (all.at(-1) === '') all.pop();
  return all;
}

describe.each([
  { reflows: true, today: false },
  { reflows: true, today: true },
  { reflows: false, today: false },
])('in an emulator (%o)', (kind) => {
  test('[TUI-10, TUI-12, TUI-16] any commits and live rows: what was committed stands there once and in order', async () => {
    const property = fc.asyncProperty(size, fc.array(step, { minLength: 1, maxLength: 25 }), async (of, steps) => {
      const rig = openRig({ ...of, ...kind });
      for (const each of steps) {
        const frame = frameOf(each, of);
        await put(rig, rig.screen.draw(frame));
        rig.committed.push(...each.commit.map(([text]) => text));
        const expected = trimmed([...rig.committed, ...frame.texts]);
        // Without reflow the emulator guesses which rows belong together.
        if (kind.reflows) expect(trimmed(rig.emulator.lines())).toEqual(expected);
        else expect(rig.emulator.lines().join('')).toBe(expected.join(''));
        expect(rig.emulator.beforeCursor().trimEnd()).toBe(frame.before.trimEnd());
      }
      expect(rig.bytes.join('')).not.toMatch(FORBIDDEN);
      expect(rig.emulator.effects).toEqual([]);
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

test.each([
  { reflows: true, today: false },
  { reflows: false, today: false },
])('[TUI-18] random resizes lose no committed row, and leave hardly a stale one (%o)', async (kind) => {
  let resizes = 0;
  let stale = 0;
  const scene = fc.array(fc.tuple(usual, fc.option(window, { nil: undefined })), { minLength: 2, maxLength: 12 });
  const property = fc.asyncProperty(window, scene, async (of, steps) => {
    const rig = openRig({ ...of, ...kind });
    let now = of;
    let extra = 0;
    for (const [each, next] of steps) {
      if (next) {
        resizes++;
        rig.emulator.resize(next.columns, next.rows);
        const frame = frameOf({ ...each, commit: [] }, next);
        await put(rig, rig.screen.resize(next, frame, rig.emulator.cursor().column));
        now = next;
      }
      const frame = frameOf(each, now);
      await put(rig, rig.screen.draw(frame));
      // Terminals that do not wrap cut what is too long for a narrower window: rows of these stay short.
      rig.committed.push(...each.commit.map(([text]) => text));
      const expected = trimmed([...rig.committed, ...frame.texts]);
      const seen = trimmed(rig.emulator.lines());
      if (kind.reflows) expect(missing(expected, seen)).toEqual([]);
      const more = Math.max(seen.length - expected.length, 0);
      if (more > extra) stale++;
      extra = more;
    }
    expect(rig.bytes.join('')).not.toMatch(FORBIDDEN);
  });
  await fc.assert(property, { numRuns: 120 });
  expect(resizes).toBeGreaterThan(200);
  expect(stale / resizes).toBeLessThanOrEqual(0.05);
});

/** The first row that is not in its order among the others. */
function missing(expected: readonly string[], seen: readonly string[]): string[] {
  let at = 0;
  for (const row of expected) {
    const next = seen.indexOf(row, at);
    if (next < 0) return [row];
    at = next + 1;
  }
  return [];
}

test('[TUI-16] behind wide characters and emoji the cursor is placed by writing the row again, whatever their width is', async () => {
  for (const today of [true, false]) {
    const rig = openRig({ columns: 40, rows: 10, today });
    const row = rowOf('ab 👨‍👩‍👧 日本 cd', undefined);
    const before = rowOf('ab 👨‍👩‍👧 日', undefined);
    await put(rig, rig.screen.draw({ commit: [], live: [row, rowOf('status', 'dim')], caret: { row: 0, before } }));
    expect(rig.emulator.beforeCursor()).toBe('ab 👨‍👩‍👧 日');
  }
});

test('[TUI-12] only the live rows that differ are written, in one frame with a hidden cursor', () => {
  const { screen } = openRig({ columns: 80, rows: 24 });
  const live = ['one', 'two', 'three'].map((text) => rowOf(text, undefined));
  const caret = { row: 2, before: rowOf('thr', undefined) };
  screen.draw({ commit: [], live, caret });
  const changed = [live[0] as Row, rowOf('TWO', undefined), live[2] as Row];
  const bytes = screen.draw({ commit: [], live: changed, caret });
  expect(bytes).toBe('\x1b[?2026h\x1b[?25l\x1b[2A\r\r\nTWO\x1b[K\r\n\r\x1b[3C\x1b[?25h\x1b[?2026l');
});

test('[TUI-13] live rows are cut before the last column; committed ones are left to the terminal', async () => {
  const rig = openRig({ columns: 10, rows: 6 });
  const long = rowOf('0123456789abcdef', 'strong');
  await put(rig, rig.screen.draw({ commit: [long], live: [long], caret: { row: 0, before: rowOf('01', undefined) } }));
  expect(rig.emulator.window().slice(0, 4)).toEqual(['0123456789', 'abcdef', '012345678', '']);
});

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [10, 3],
])('[TUI-20] a window of %i x %i columns and rows is drawn without an exception', async (columns, rows) => {
  const { screen } = openRig({ columns: 40, rows: 10 });
  const live = ['日本語', 'second', 'third'].map((text) => rowOf(text, 'dim'));
  const frame = { commit: [rowOf('committed', undefined)], live, caret: { row: 2, before: rowOf('日本', undefined) } };
  const bytes = [screen.draw(frame), screen.resize({ columns, rows }, frame), screen.draw(frame), screen.erase()];
  expect(bytes.join('')).not.toMatch(FORBIDDEN);
});

test('the live rows can be taken away without a trace', async () => {
  const rig = openRig({ columns: 40, rows: 10 });
  const live = ['one', 'two'].map((text) => rowOf(text, undefined));
  await put(
    rig,
    rig.screen.draw({ commit: [rowOf('done', undefined)], live, caret: { row: 1, before: rowOf('t', undefined) } }),
  );
  await put(rig, rig.screen.erase());
  expect(trimmed(rig.emulator.lines())).toEqual(['done']);
  expect(rig.emulator.cursor()).toEqual({ row: 1, column: 0 });
});

test.each([
  [{ TERM: 'xterm-256color' }, 'all'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, 'all-but-cursor'],
  [{ TERM: 'linux' }, 'none'],
  [{ TERM: 'xterm', XTERM_VERSION: 'XTerm(388)' }, 'none'],
  [{ TERM: 'screen', STY: '1.tty' }, 'none'],
  [{ TERM: 'screen-256color', TMUX: '/tmp/tmux' }, 'all'],
])('[TUI-18] the family of %o is %s', (env, family) => {
  expect(reflowFamilyOf(env)).toBe(family);
});
