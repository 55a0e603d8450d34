import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';

/**
 * Runs in the worker around every test file that shares its process with others (vitest.config.ts): what the file has
 * changed for those that come after it fails it.
 */

/** What libraries put into `globalThis` (zod, unpdf, vitest) or into the environment (sharp) when they are loaded. */
const OF_LIBRARIES = /^(global|variable) (__(zod|vitest)\w+|DOMMatrix|navigator|_?pdfjs\w+|VIPSHOME)$/;
/** What keeps the process alive: servers, child processes, watchers, timers. */
const RESOURCES = /Server|ProcessWrap|FSEvent|StatWatcher|Timeout/;
/** What was closed at the end of a test may need a moment. */
const PATIENCE_MS = 10_000;

const settingsBefore = settings();
let openBefore: string[];

beforeAll(() => {
  openBefore = open(); // vitest has a timer for each hook: the same number when the other hook runs
});

afterAll(async () => {
  expect(changed(settingsBefore, settings()), 'the file changed what the next one sees').toEqual([]);
  const deadline = Date.now() + PATIENCE_MS;
  while (leftOpen().length > 0 && Date.now() < deadline) await wait(20);
  expect(leftOpen(), 'the file left something open').toEqual([]);
});

/** Everything in the process that a test could set, by name. */
function settings(): Map<string, unknown> {
  const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
  return new Map<string, unknown>([
    // Node replaces a getter by its value when it is used for the first time.
    ...globals.map(([name, { value }]) => [`global ${name}`, typeof value === 'function' ? value : '…'] as const),
    ...Object.entries(process.env).map(([name, value]) => [`variable ${name}`, value] as const),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    ['directory', process.cwd()],
    ['umask', process.umask()],
  ]);
}

function changed(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  const isSame = (name: string) => before.get(name) === after.get(name) || isFirstUse(name);
  const isFirstUse = (name: string) => before.get(name) === '…' && after.has(name);
  return [...names].filter((name) => !isSame(name) && !OF_LIBRARIES.test(name));
}

function open(): string[] {
  return process.getActiveResourcesInfo().filter((name) => RESOURCES.test(name));
}

function leftOpen(): string[] {
  const before = [...openBefore];
  return open().filter((name) => {
    const index = before.indexOf(name);
    if (index >= 0) before.splice(index, 1);
    return index < 0;
  });
}
