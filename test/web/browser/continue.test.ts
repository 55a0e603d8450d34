import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.ts';
import { type RunningCli, runCli, startCli } from '../../support/cli.ts';
import { makePlace, type Place } from '../../support/place.ts';
import { eventually } from '../../support/processes.ts';
import { openBrowser, type Page, until, whyNoBrowser } from './browser.ts';

const reason = whyNoBrowser();
if (reason !== null) console.log(`The tests of continuing from the page are skipped: ${reason}`);

async function startWeb(place: Place, ...args: string[]): Promise<{ cli: RunningCli; address: string }> {
  const cli = startCli(['web', '--no-open', '--port', '0', ...args], { place });
  await eventually(() => /heddle web: \S+/.test(cli.stdout) || cli.child.exitCode !== null, 15_000);
  const [, address = ''] = /heddle web: (\S+)/.exec(cli.stdout) ?? [];
  if (address === '') throw new Error(`heddle web did not start: ${cli.stdout}${cli.stderr}`);
  return { cli, address };
}

function transcriptOf({ home }: Place): string {
  const [folder = ''] = readdirSync(join(home, 'projects'));
  const [name = ''] = readdirSync(join(home, 'projects', folder)).filter((each) => each.endsWith('.jsonl'));
  return join(home, 'projects', folder, name);
}

const says = (page: Page, words: string) =>
  until(page, `document.querySelector('.conversation')?.textContent.includes(${JSON.stringify(words)})`, 20_000);

async function send(page: Page, prompt: string): Promise<void> {
  await page.locator('.composer textarea').fill(prompt);
  await page.locator('.composer textarea').press('Enter');
}

describe.skipIf(reason !== null)('continuing from the page', () => {
  test('a prompt at the leaf, a question that is allowed, and an earlier prompt edited and sent again', async () => {
    const place = await makePlace([
      'The first answer.',
      [text('I ask first.'), toolUse('Bash', { command: 'echo made > made.txt' })],
      'The file is there.',
      'The answer to the edited prompt.',
    ]);
    expect((await runCli(['-p', 'the first prompt'], { place })).code).toBe(0);
    const path = transcriptOf(place);
    const { cli, address } = await startWeb(place);
    const page = await openBrowser();
    await page.goto(address);
    await page.locator('.items a').first().click();
    await says(page, 'The first answer.');

    await send(page, 'make a file');
    await page.waitForSelector('.question', { timeout: 20_000 });
    expect(await page.locator('.question pre').textContent()).toContain('echo made > made.txt');
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false);
    await page.locator('.question button', { hasText: 'allow' }).click();
    await says(page, 'The file is there.');
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(true);

    const before = readFileSync(path);
    await page.locator('.line.prompt', { hasText: 'make a file' }).click();
    await page.locator('.entry.prompt .details').last().click();
    await page.locator('.panel button', { hasText: 'edit and resend' }).click();
    await until(page, `document.querySelector('.composer textarea').value === 'make a file'`);
    await page.locator('[aria-label="close the details"]').click();
    await send(page, 'make no file');
    await says(page, 'The answer to the edited prompt.');
    await until(page, `document.querySelector('.line.branch')?.textContent.includes('make a file')`);
    const after = readFileSync(path);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    const { code, stdout } = await runCli(['sessions', 'tree', '--json', path], { place });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).leaves).toHaveLength(2);
    cli.child.kill('SIGINT');
    expect((await cli.finished).code).toBe(0);
  }, 90_000);

  test('kill -9 of the server in the middle of edit and resend: the old branch is byte for byte what it was', async () => {
    const place = await makePlace(['One.', { kind: 'hang' }]);
    await runCli(['-p', 'the first prompt'], { place });
    const path = transcriptOf(place);
    const before = readFileSync(path);
    const { cli, address } = await startWeb(place);
    const page = await openBrowser();
    await page.goto(address);
    await page.locator('.items a').first().click();
    await says(page, 'One.');
    await page.locator('.line.prompt').first().click();
    await page.keyboard.press('e');
    await until(page, `document.querySelector('.composer textarea').value === 'the first prompt'`);
    await send(page, 'another first prompt');
    await says(page, 'another first prompt');
    cli.child.kill('SIGKILL');
    await cli.finished;
    const after = readFileSync(path);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    await until(page, `document.querySelector('.problem') !== null`, 20_000);
    expect((await runCli(['sessions', 'fsck', path], { place })).code).toBe(0);
    const { stdout } = await runCli(['sessions', 'tree', path], { place });
    expect(stdout).toContain('the first prompt');
    expect(stdout).toContain('another first prompt');
  }, 90_000);

  test('a session of another process is only shown, with the process that has it; then it is free again', async () => {
    const place = await makePlace(['One.', { kind: 'hang' }]);
    await runCli(['-p', 'the first prompt'], { place });
    const { cli, address } = await startWeb(place);
    const page = await openBrowser();
    await page.goto(address);
    await page.locator('.items a').first().click();
    await says(page, 'One.');
    const other = startCli(['-p', '--continue', 'and more'], { place });
    await says(page, 'and more');
    await until(
      page,
      `document.querySelector('.composer')?.textContent.includes('Process ${other.child.pid}')`,
      15_000,
    );
    other.child.kill('SIGKILL');
    await until(page, `document.querySelector('.composer textarea') !== null`, 15_000);
    cli.child.kill('SIGINT');
    await cli.finished;
  }, 90_000);

  test('heddle web opens the page of the server that runs, and says so of bad input', async () => {
    const place = await makePlace(['One.']);
    await runCli(['-p', 'the first prompt'], { place });
    const first = await startWeb(place);
    const again = await runCli(['web', '--no-open'], { place });
    expect(again.code).toBe(0);
    expect(new URL(/http\S+/.exec(again.stdout)?.[0] ?? '').origin).toBe(new URL(first.address).origin);
    const unknown = await runCli(['web', '--no-open', 'ffffffff'], { place });
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('No session has the title');
    const { port } = new URL(first.address);
    const taken = await runCli(['web', '--home', place.home, '--no-open', '--port', port], { place });
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(port);
    first.cli.child.kill('SIGINT');
    await first.cli.finished;
  }, 60_000);
});
