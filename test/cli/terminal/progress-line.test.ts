import { expect, test } from 'vitest';
import { type LineView, progressLine } from '../../../src/cli/terminal/progress-line.ts';
import type { ProgressState } from '../../../src/cli/terminal/progress-state.ts';
import { displayWidth } from '../../../src/util/text/display-width.ts';
import { createPaint } from '../../../src/util/text/paint.ts';

const IDLE: ProgressState = {
  doing: 'thinking',
  retry: null,
  calls: new Map(),
  agents: new Set(),
  background: 0,
  tokens: { in: 0, out: 0 },
};
const view: LineView = { now: 7000, startedAt: 0, width: 80, cwd: '/here', paint: createPaint({ colours: false }) };
const calling = (...calls: [name: string, subject: string, share?: string][]) => ({
  ...IDLE,
  calls: new Map(calls.map(([name, subject, share = ''], at) => [`c${at}`, { name, subject, share }])),
});
/** Without the spinner, which is one column and a space. */
const text = (state: ProgressState, more: Partial<LineView> = {}) => progressLine(state, { ...view, ...more }).slice(2);

test('says what goes on, for how long, and how many tokens that took', () => {
  expect(text(IDLE)).toBe('thinking · 7s');
  expect(text({ ...IDLE, tokens: { in: 12_340, out: 999 } })).toBe('thinking · 7s · ↑12.3k ↓999');
  expect(text({ ...IDLE, tokens: { in: 2_500_000, out: 0 } })).toBe('thinking · 7s · ↑2.5M ↓0');
  expect(text(IDLE, { now: 65_000 })).toBe('thinking · 1m 05s');
  expect(text(IDLE, { now: 3_720_000 })).toBe('thinking · 1h 02m');
});

test('a call by its tool and its subject, a path as seen from here; of several the first, and their number', () => {
  expect(text(calling(['Bash', 'npm test']))).toBe('Bash npm test · 7s');
  expect(text(calling(['Read', '/here/src/a.ts']))).toBe('Read src/a.ts · 7s');
  expect(text(calling(['Read', '/there/a.ts']))).toBe('Read /there/a.ts · 7s');
  expect(text(calling(['mcp__x', 'y', '3/10']))).toBe('mcp__x y 3/10 · 7s');
  expect(text(calling(['Bash', 'a'], ['Bash', 'b']))).toBe('Bash a · 2 calls · 7s');
});

test('an agent is told by the call that it has made', () => {
  const state = { ...calling(['Task', 'look around'], ['Grep', 'TODO']), agents: new Set(['r1']) };
  expect(text(state)).toBe('Grep TODO · 2 calls, 1 agent · 7s');
  expect(text({ ...calling(['Task', 'look around']), agents: new Set(['r1', 'r2']) })).toBe(
    'Task look around · 2 agents · 7s',
  );
  expect(text({ ...IDLE, background: 2 })).toBe('thinking · 2 in the background · 7s');
});

test('a retry counts down', () => {
  const state = { ...IDLE, retry: { at: 9500, attempt: 2, of: 10 } };
  expect(text(state)).toBe('retry 2/10 in 3s · 7s');
  expect(text(state, { now: 11_000 })).toBe('retry 2/10 · 11s');
});

test('nothing in a call acts on the terminal', () => {
  const line = progressLine(calling(['Bash', 'a\u001b[2J\u0007\u009b1A\r\n\tb\u202ec\u001b]0;title\u0007']), view);
  expect(line).toBe(`${line[0]} Bash a\\u{1b}[2J\\u{7}\\u{9b}1A b\\u{202e}c\\u{1b}]0;title\\u{7} · 7s`);
  expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
});

test.each([5, 20, 40, 80])('a line fits into %i columns, also with wide characters', (width) => {
  for (const subject of ['x'.repeat(500), '試験'.repeat(100), '👩‍🚀'.repeat(50)]) {
    const state = { ...calling(['Bash', subject], ['Bash', '']), tokens: { in: 1_000_000, out: 1_000_000 } };
    const line = progressLine(state, { ...view, width });
    expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(displayWidth(line)).toBeGreaterThan(width - 3);
  }
});

test('what goes on is cut before its time and its tokens are', () => {
  const line = text({ ...calling(['Bash', 'x'.repeat(500)]), tokens: { in: 5, out: 5 } }, { width: 40 });
  expect(line).toMatch(/^Bash x+… · 7s · ↑5 ↓5$/);
});

test('colours only where they are wanted', () => {
  expect(progressLine(IDLE, view)).not.toContain('\u001b');
  expect(progressLine(IDLE, { ...view, paint: createPaint({ colours: true }) })).toContain('\u001b[36m');
});
