import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type SessionHome, sessionHome } from '../../sessions/session-home.ts';
import { assistant, call, result, tempDir, user } from '../../sessions/support.ts';
import { ROOT } from '../../support/root.ts';
import { openBrowser, until, whyNoBrowser } from './browser.ts';

const ID = '3f2a9c11-0000-4000-8000-000000000001';
const reason = whyNoBrowser();
if (reason !== null) console.log(`The tests of exported files are skipped: ${reason}`);
const KEY = `sk-${'ant-'}${'aB3'.repeat(12)}`;

const entries = [
  user('u1', `fix the login form with ${KEY}`, { at: '2026-01-01T00:00:01Z' }),
  assistant('u2', [call('c1')], { parent: 'u1' }),
  result('u3', 'c1', { parent: 'u2', toolUseResult: { stdout: 'a loud output' } }),
  assistant('u4', `It is **blue** ${'and long '.repeat(2000)}to the end`, { parent: 'u3' }),
  user('u5', 'with a test', { parent: 'u4' }),
  user('u6', 'without one', { parent: 'u4' }),
  assistant('u7', 'done', { parent: 'u6' }),
];

function written(): SessionHome & { path: string } {
  const home = sessionHome();
  const { path } = home.session(entries, { sessionId: ID });
  const folder = join(path.replace(/\.jsonl$/, ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agent-a1.jsonl'), `${JSON.stringify(user('s1', 'look around'))}\n`);
  writeFileSync(join(folder, 'agent-a1.meta.json'), JSON.stringify({ toolUseId: 'c1', agentType: 'Explore' }));
  return { ...home, path };
}

function exported({ home }: SessionHome, ...flags: string[]): string {
  const file = join(tempDir(), 'session.html');
  const args = ['sessions', 'export', '--html', ...flags, '--home', home, ID, '--output', file];
  execFileSync(process.execPath, [join(ROOT, 'dist/heddle.cjs'), ...args], { stdio: 'pipe', timeout: 60_000 });
  return file;
}

describe.skipIf(reason !== null)('an exported file', () => {
  test('is the same page, without a network: branches, agents, long texts, search', async () => {
    const file = exported(written(), '--all-branches');
    const page = await openBrowser();
    const asked: string[] = [];
    const problems: string[] = [];
    page.on('request', (request: { url(): string }) => asked.push(request.url()));
    page.on('pageerror', (error: Error) => problems.push(error.message));
    await page.goto(`file://${file}`);
    await page.waitForSelector('.entry.answer');
    const lines = (await page.locator('.line').allTextContents()).join('\n');
    expect(lines).toContain('with a test');
    expect(lines).toContain('without one');
    await page.locator('.more').first().click();
    await until(page, `document.querySelector('.conversation').textContent.includes('to the end')`);
    await page.locator('.line .agent').first().click();
    await until(page, `document.querySelector('.conversation').textContent.includes('look around')`);
    await page.locator('.back').click();
    await page.locator('#search').fill('without');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.search .hits mark');
    expect(asked.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('has one branch by default, or the one up to a message', async () => {
    const home = written();
    const linesOf = async (file: string) => {
      const page = await openBrowser();
      await page.goto(`file://${file}`);
      await page.waitForSelector('.line.prompt');
      return (await page.locator('.line').allTextContents()).join('\n');
    };
    const active = await linesOf(exported(home));
    expect(active).toContain('without one');
    expect(active).not.toContain('with a test');
    const other = await linesOf(exported(home, '--leaf', 'u5'));
    expect(other).toContain('with a test');
    expect(other).not.toContain('without one');
  });

  test('--redact masks credentials in rows and entries; --no-outputs leaves out what tools printed', async () => {
    const page = await openBrowser();
    await page.goto(`file://${exported(written(), '--redact', '--no-outputs')}`);
    await page.waitForSelector('.entry.prompt');
    const shown = await page.evaluate<string>('document.body.innerText');
    expect(shown).toContain('[redacted key]');
    expect(shown).not.toContain(KEY);
    await page.locator('.tool-call summary').first().click();
    await until(page, `document.querySelector('.tool-call .out').textContent === '[left out]'`);
    expect(await page.evaluate<string>('document.body.innerText')).not.toContain('a loud output');
  });

  test('carries the licences of what is inside', async () => {
    const file = readFileSync(exported(written()), 'utf8');
    const [, packed = ''] = /id="heddle-notices">([^<]*)</.exec(file) ?? [];
    const { gunzipSync } = await import('node:zlib');
    const notices = gunzipSync(Buffer.from(packed, 'base64')).toString();
    expect(notices).toContain('preact');
    expect(notices).toContain('marked');
    expect(notices).toContain('MIT');
  });
});
