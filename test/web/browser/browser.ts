import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOwnFile } from '../../../src/util/own/own-files.ts';
import { afterTest } from '../../support/after-test.ts';

/** What the tests use of playwright-core. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  evaluate<T>(work: string | ((argument: never) => T), argument?: unknown): Promise<T>;
  waitForSelector(selector: string, options?: { timeout?: number; state?: string }): Promise<unknown>;
  waitForTimeout(ms: number): Promise<void>;
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
  on(event: string, listener: (given: never) => void): void;
  addInitScript(script: string): Promise<void>;
  emulateMedia(options: { colorScheme: 'dark' | 'light' }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  url(): string;
  content(): Promise<string>;
  close(): Promise<void>;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}

export interface Locator {
  click(options?: { timeout?: number; force?: boolean }): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  last(): Locator;
  nth(at: number): Locator;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  allInnerTexts(): Promise<string[]>;
  waitFor(options?: { timeout?: number; state?: string }): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
}

interface Context {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --disable-dev-shm-usage';

/** Why the tests of the page cannot run here; null: they can. */
export function whyNoBrowser(): string | null {
  if (!PATHS.some(existsSync)) return 'there is no Chromium: apt-get install chromium fonts-dejavu-core';
  if (playwright() === null) return 'playwright-core is not installed: run npm ci';
  return findOwnFile('web/page.js') === null ? 'the page is not built: run npm run build' : null;
}

/** A page of a browser of its own, which is closed after the test. */
export async function openBrowser({ width = 1300, height = 900 } = {}): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-browser-'));
  const context: Context = await playwright()?.chromium.launchPersistentContext(folder, {
    executablePath: PATHS.find(existsSync),
    args: FLAGS.split(' '),
    viewport: { width, height },
    env: { ...process.env, HOME: folder },
  });
  afterTest(async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return context.newPage();
}

/** Waits until an expression is true in the page. The page allows no `eval`, by which playwright would wait. */
export async function until(page: Page, expression: string, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; ; await page.waitForTimeout(15)) {
    if (await page.evaluate<boolean>(`Boolean(${expression})`).catch(() => false)) return;
    if (Date.now() > end) throw new Error(`Not within ${ms} ms: ${expression}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: its types need the package, which is not everywhere
function playwright(): any {
  try {
    return createRequire(import.meta.url)('playwright-core');
  } catch {
    return null;
  }
}
