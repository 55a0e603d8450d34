import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { tryLock } from '../../src/config/file-lock.ts';

test('a lock is never there without the name of its holder: a process may be killed at any moment', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'lock');
  const watcher = new Worker(WATCHER, { eval: true, workerData: path });
  const told = new Promise((resolve) => watcher.once('message', resolve));
  await new Promise((resolve) => watcher.once('online', resolve));
  for (const until = Date.now() + 1200; Date.now() < until; ) tryLock(path)?.release();
  expect(await told).toEqual({ empty: 0, hasSeen: true });
  expect(readdirSync(dir)).toEqual([]);
});

test.each([
  ['that is renewed stays held', true],
  ['that is not counts as abandoned', false],
])('an old lock %s', (_what, isRenewed) => {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'lock');
  const lock = tryLock(path);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(path, longAgo, longAgo);
  if (isRenewed) lock?.renew();
  const others = [tryLock(path), tryLock(path)]; // the first one removes an abandoned lock
  expect(others.map((other) => other !== null)).toEqual([false, !isRenewed]);
  expect(lock?.isHeld()).toBe(isRenewed);
  rmSync(path);
  lock?.renew();
});

/** Reads the lock as often as it can, for a second. */
const WATCHER = `
  const { readFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  let [seen, empty] = [0, 0];
  for (const until = Date.now() + 1000; Date.now() < until; ) {
    try {
      seen++;
      if (readFileSync(workerData, 'utf8') === '') empty++;
    } catch {
      seen--;
    }
  }
  parentPort.postMessage({ empty, hasSeen: seen > 0 });
`;
