import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { assistant, call, result, user } from '../../sessions/support.ts';
import { openBrowser, type Page, until, whyNoBrowser } from './browser.ts';
import { type ExplorerServer, explorerServer } from './explorer-server.ts';

const ID = '3f2a9c11-0000-4000-8000-000000000001';
const reason = whyNoBrowser();
if (reason !== null) console.log(`The tests of the page are skipped: ${reason}`);

const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-grey', '+blue'] }];
const branched = [
  user('u1', 'fix the login form', { at: '2026-01-01T00:00:01Z', cwd: '/w/project' }),
  assistant('u2', [{ type: 'thinking', thinking: 'hm, the colour' }], { parent: 'u1', id: 'm1' }),
  assistant('u3', [call('c1')], { parent: 'u2', id: 'm1', at: '2026-01-01T00:00:02Z' }),
  result('u4', 'c1', {
    parent: 'u3',
    at: '2026-01-01T00:00:14Z',
    toolUseResult: { filePath: '/w/a.ts', structuredPatch: patch },
  }),
  assistant('u5', 'It is **blue** now', { parent: 'u4', at: '2026-01-01T00:00:15Z' }),
  user('u6', 'with a test', { parent: 'u5', at: '2026-01-01T00:00:20Z' }),
  assistant('u7', 'a test is there', { parent: 'u6', at: '2026-01-01T00:00:21Z' }),
  user('u8', 'without one', { parent: 'u5', at: '2026-01-01T00:00:30Z' }),
  assistant('u9', 'done without', { parent: 'u8', at: '2026-01-01T00:00:31Z' }),
];

async function opened(
  rest = `/s/${ID}`,
): Promise<{ server: ExplorerServer; page: Page; path: string; problems: string[] }> {
  const server = await explorerServer();
  const { path } = server.session(branched, { sessionId: ID });
  const page = await openBrowser();
  const problems: string[] = [];
  page.on('console', (message: { type(): string; text(): string }) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error: Error) => problems.push(error.message));
  await page.goto(await server.address(rest));
  return { server, page, path, problems };
}

describe.skipIf(reason !== null)('the page in a browser', () => {
  test('shows the tree, the conversation and the details of a node, and keeps the code out of its address', async () => {
    const { page, problems } = await opened();
    await page.waitForSelector('.entry.answer');
    const lines = await page.locator('.line').allInnerTexts();
    expect(lines.join('\n')).toContain('fix the login form');
    expect(lines.some((line) => line.includes('Bash'))).toBe(true);
    expect(lines.some((line) => line.includes('with a test'))).toBe(true);
    expect(await page.locator('.entry strong').textContent()).toBe('blue');
    expect(await page.locator('.conversation').textContent()).not.toContain('a test is there');
    expect(page.url()).not.toContain('code=');
    // Another branch, and the address of its message.
    await page.locator('.line', { hasText: 'with a test' }).click();
    await until(page, `document.querySelector('.conversation').textContent.includes('a test is there')`);
    expect(page.url()).toMatch(/#\/s\/[0-9a-f-]+\/m\/u6$/);
    // What a prompt has changed.
    await page.locator('.entry.prompt .details').first().click();
    await page.waitForSelector('.panel .stored');
    // A reload keeps the token, and the place.
    expect(await page.locator('.conversation').textContent()).toContain('a test is there');
    await page.reload();
    await until(page, `document.querySelector('.conversation')?.textContent.includes('done without')`);
    expect(problems).toEqual([]);
  });

  test('is driven with keys', async () => {
    const { page } = await opened();
    await page.waitForSelector('.entry.answer');
    await page.locator('.tree').press('j');
    await page.locator('.tree').press('h');
    await until(page, `document.querySelector('.line.chosen[aria-expanded="false"]') !== null`);
    await page.locator('.tree').press('l');
    await until(page, `document.querySelector('.line.chosen[aria-expanded="true"]') !== null`);
    await page.locator('.tree').press('G');
    await until(page, `document.querySelector('.line:last-child').classList.contains('chosen')`);
    await page.keyboard.press('/');
    await until(page, `document.activeElement.id === 'search'`);
    await page.keyboard.type('colour');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.hits mark');
  });

  test('shows what another process writes within a moment', async () => {
    const { page, path } = await opened();
    await page.waitForSelector('.entry.answer');
    await page.waitForTimeout(300); // the stream is open
    const started = Date.now();
    appendFileSync(path, `${JSON.stringify(assistant('u10', 'and one more', { parent: 'u9' }))}\n`);
    await until(page, `document.querySelector('.conversation').textContent.includes('and one more')`);
    const took = Date.now() - started;
    console.log(`a new entry was on the page after ${took} ms`);
    expect(took).toBeLessThan(2000);
  });

  test('renames and switches; the file only grows', async () => {
    const { page, path } = await opened();
    await page.waitForSelector('.entry.answer');
    const before = readFileSync(path);
    await page.locator('button', { hasText: 'rename' }).click();
    await page.locator('.session-actions input').fill('another name');
    await page.keyboard.press('Enter');
    await until(page, `document.querySelector('h1').textContent.includes('another name')`);
    await page.locator('.line', { hasText: 'with a test' }).click();
    await until(page, `document.querySelector('.conversation').textContent.includes('a test is there')`);
    await page.locator('.entry.answer .details').last().click({ force: true });
    await page.locator('.panel button', { hasText: 'switch here' }).click();
    await until(page, `document.querySelector('.line.active .label').textContent.includes('with a test')`);
    const after = readFileSync(path);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(after.toString()).toContain('"leafUuid":"u7"');
  });

  test('has no serious finding of axe-core: list, tree, conversation, details, dark, narrow', async () => {
    const { page } = await opened();
    await page.waitForSelector('.entry.answer');
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // The page allows no script of others; a test may put one in from outside.
    const findings = async () => {
      await page.evaluate(axe);
      return page.evaluate<string[]>(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')))`,
      );
    };
    expect(await findings()).toEqual([]);
    await page.locator('.entry.prompt .details').first().click();
    await page.waitForSelector('.panel .stored');
    expect(await findings()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findings()).toEqual([]);
    await page.setViewportSize({ width: 420, height: 800 });
    expect(await findings()).toEqual([]);
    await page.goto(`${page.url().split('#')[0]}#/`);
    await page.waitForSelector('.items li');
    expect(await findings()).toEqual([]);
  });

  test('without a code it says what to do', async () => {
    const server = await explorerServer();
    const page = await openBrowser();
    await page.goto(server.url);
    expect(await page.locator('.problem').textContent()).toContain('heddle web');
  });
});
