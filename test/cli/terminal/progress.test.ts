import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openProgress, type ProgressTerminal } from '../../../src/cli/terminal/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const ERASE = '\r\u001b[2K';

function open(env: ProgressTerminal['env'] = {}) {
  let shown = '';
  const stop = new AbortController();
  const stderr = { isTTY: true, columns: 40, write: (text: string) => (shown += text) };
  const progress = openProgress(stop.signal, { stderr, env, cwd: () => '/' });
  onTestFinished(() => progress?.end());
  return { progress, stop, shown: () => shown };
}

test('a short run draws nothing', () => {
  const { progress, shown } = open();
  vi.advanceTimersByTime(499);
  progress?.end();
  vi.advanceTimersByTime(5000);
  expect(shown()).toBe('');
});

test.each(['end', 'abort'])('nothing is drawn after its %s, and the line is erased once', (how) => {
  const listeners = process.listenerCount('exit');
  const { progress, stop, shown } = open();
  vi.advanceTimersByTime(1000);
  expect(shown()).toContain('starting');
  if (how === 'end') progress?.end();
  else stop.abort();
  const before = shown();
  expect(before.endsWith(ERASE)).toBe(true);
  vi.advanceTimersByTime(5000);
  progress?.end();
  expect(shown()).toBe(before);
  expect(process.listenerCount('exit')).toBe(listeners);
});

test('what makes room is drawn again with the next frame', () => {
  const { progress, shown } = open();
  vi.advanceTimersByTime(1000);
  progress?.erase();
  progress?.erase();
  expect(shown().endsWith(ERASE)).toBe(true);
  expect(shown().endsWith(ERASE + ERASE)).toBe(false);
  vi.advanceTimersByTime(125);
  expect(shown()).toMatch(/starting[^\r]*$/);
});

test.each([{ TERM: 'dumb' }, { CI: 'true' }, { CI: '1' }])('there is none with %o', (env) => {
  expect(open(env).progress).toBeNull();
});

test('CI=false is no CI', () => {
  const { progress } = open({ CI: 'false' });
  expect(progress).not.toBeNull();
  progress?.end();
});
