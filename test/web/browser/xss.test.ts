import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, parse } from 'marked';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/wire/entries.ts';
import { tempDir } from '../../sessions/support.ts';
import { ROOT } from '../../support/root.ts';
import { openBrowser, type Page, whyNoBrowser } from './browser.ts';
import { explorerServer } from './explorer-server.ts';
import { xssCorpus } from './xss-corpus.ts';

const ID = '3f2a9c11-0000-4000-8000-000000000001';
const reason = whyNoBrowser();
if (reason !== null) console.log(`The tests of hostile texts are skipped: ${reason}`);
const corpus = xssCorpus();

/** Every text of every kind of entry is a payload; each payload stands in each field. */
function hostileEntries(payloads: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let parent: string | null = null;
  let n = 0;
  const put = (fields: Record<string, unknown> & { type: string }, text: string) => {
    const uuid = `a${(n++).toString(16).padStart(7, '0')}-0000-4000-8000-000000000000`;
    const shared = {
      cwd: `/w/${text}`,
      gitBranch: text,
      version: text,
      requestId: text,
      timestamp: new Date(n * 1000).toISOString(),
    };
    entries.push({ ...shared, sessionId: ID, ...fields, uuid, parentUuid: parent });
    parent = uuid;
  };
  for (const [at, text] of payloads.entries()) {
    const message = (content: unknown) => ({
      id: `m${at}`,
      role: 'assistant',
      model: text,
      stop_reason: text,
      content,
    });
    const hunk = { oldStart: 1, newStart: 1, lines: [text, `+${text}`, `-${text}`] };
    const result = {
      type: 'tool_result',
      tool_use_id: `c${at}`,
      content: [
        { type: 'text', text },
        { type: text, text },
      ],
    };
    put({ type: 'user', message: { role: 'user', content: text }, permissionMode: text }, text);
    put({ type: 'assistant', message: message([{ type: 'thinking', thinking: text }]) }, text);
    put({ type: 'assistant', message: message([{ type: 'text', text }, { type: text }]) }, text);
    const input = { file_path: text, old_string: text, new_string: text, [text]: text };
    put(
      {
        type: 'assistant',
        message: message([{ type: 'tool_use', id: `c${at}`, name: at % 2 ? text : 'Edit', input }]),
      },
      text,
    );
    put(
      {
        type: 'user',
        message: { role: 'user', content: [result] },
        toolUseResult: { filePath: text, structuredPatch: [hunk] },
      },
      text,
    );
    put(
      {
        type: 'assistant',
        message: message([
          { type: 'tool_use', id: `t${at}`, name: 'TodoWrite', input: { todos: [{ content: text, status: text }] } },
        ]),
      },
      text,
    );
    put(
      {
        type: 'assistant',
        message: message([
          { type: 'tool_use', id: `b${at}`, name: 'Bash', input: { command: text, description: text } },
        ]),
      },
      text,
    );
    put(
      {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `b${at}`, content: text, is_error: true }],
        },
      },
      text,
    );
    put({ type: 'system', subtype: 'informational', content: text, level: text }, text);
    put({ type: 'attachment', attachment: { type: text, content: text } }, text);
    put({ type: 'user', isCompactSummary: true, message: { role: 'user', content: text } }, text);
  }
  const named = payloads.flatMap((text): Entry[] => [
    { type: 'summary', leafUuid: parent ?? '', summary: text },
    { type: 'tag', tag: text, sessionId: ID },
    { type: 'custom-title', customTitle: text, sessionId: ID },
  ]);
  return [...entries, ...named];
}

interface Watched {
  page: Page;
  /** How many payloads ran. */
  executed(): Promise<number>;
  outside: string[];
  left: string[];
}

async function watched(own: string): Promise<Watched> {
  const page = await openBrowser();
  const outside: string[] = [];
  const left: string[] = [];
  let dialogs = 0;
  await page.addInitScript(
    'window.ran = 0; for (const name of ["alert", "msgbox"]) window[name] = () => { window.ran++; };',
  );
  page.on('dialog', (dialog: { dismiss(): Promise<void> }) => {
    dialogs++;
    dialog.dismiss().catch(() => {});
  });
  page.on('request', (request: { url(): string; isNavigationRequest(): boolean }) => {
    const url = request.url();
    if (!url.startsWith(own) && !/^(blob|data):/.test(url)) outside.push(url);
    if (request.isNavigationRequest() && !url.startsWith(own)) left.push(url);
  });
  return { page, executed: async () => dialogs + (await page.evaluate<number>('window.ran')), outside, left };
}

/** Opens everything that can be opened, clicks everything that can be clicked, and tells which addresses links have. */
const CLICK_ALL = `(() => {
  const links = new Set();
  for (const link of document.querySelectorAll('a[href]')) {
    links.add(new URL(link.href).protocol);
    if (link.target !== '_blank') continue;
    link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    link.focus();
  }
  for (const each of document.querySelectorAll('.conversation button, .conversation summary, .tree .line, .stored summary')) {
    if (!each.classList.contains('details')) each.click();
  }
  for (const each of document.querySelectorAll('*')) {
    for (const name of ['mouseover', 'focus', 'pointerenter', 'animationstart', 'toggle', 'wheel', 'copy', 'transitionend', 'click2'])
      each.dispatchEvent(new Event(name, { bubbles: false }));
  }
  const active = document.querySelectorAll('#page script, #page iframe, #page object, #page embed, #page form[action], #page base, #page meta, #page link, #page style, #page svg, #page math, #page template').length;
  const handlers = [...document.querySelectorAll('#page *')].filter((each) => [...each.attributes].some(({ name }) => name.startsWith('on'))).length;
  return { links: [...links], active, handlers };
})()`;

interface Clicked {
  links: string[];
  active: number;
  handlers: number;
}

async function clickThrough({ page, executed, outside, left }: Watched): Promise<void> {
  await page.locator('.tree-side select').selectOption('everything');
  const found: Clicked = { links: [], active: 0, handlers: 0 };
  for (let step = 0; step < 12; step++) {
    const { links, active, handlers } = await page.evaluate<Clicked>(CLICK_ALL);
    found.links.push(...links);
    found.active += active;
    found.handlers += handlers;
    await page.evaluate(
      `document.querySelector('.conversation').scrollBy(0, -document.querySelector('.conversation').scrollHeight / 12)`,
    );
    await page.evaluate(
      `document.querySelector('.tree').scrollBy(0, document.querySelector('.tree').scrollHeight / 12)`,
    );
    await page.waitForTimeout(120);
  }
  expect(await executed()).toBe(0);
  expect(outside).toEqual([]);
  expect(left).toEqual([]);
  expect(found).toMatchObject({ active: 0, handlers: 0 });
  expect([...new Set(found.links)].filter((each) => !['http:', 'https:', 'mailto:', 'file:'].includes(each))).toEqual(
    [],
  );
}

describe.skipIf(reason !== null)('[W-6] hostile texts', () => {
  test('are many, and run in a page that takes Markdown as HTML', async () => {
    expect(new Set(corpus).size).toBeGreaterThanOrEqual(150);
    const { page, executed } = await watched('http://nowhere.invalid');
    let ran = 0;
    for (const text of corpus) {
      const html = await parse(text);
      await page.goto('about:blank').catch(() => {});
      // A payload that leads away from the page has run, too, but is not counted.
      await page
        .evaluate(`document.body.innerHTML = ${JSON.stringify(html)};
          for (const each of document.querySelectorAll('a, button, [tabindex]')) { each.click(); each.focus(); }`)
        .catch(() => {});
      await page.waitForTimeout(8);
      if ((await executed().catch(() => 0)) > 0) ran++;
    }
    console.log(`${ran} of ${corpus.length} payloads ran in the control page`);
    expect(ran).toBeGreaterThanOrEqual(25);
    expect(corpus.every((text) => lexer(text).length >= 0)).toBe(true);
  }, 120_000);

  test('run nowhere in the explorer, whichever field they are in', async () => {
    const server = await explorerServer();
    const { path } = server.session(hostileEntries(corpus), { sessionId: ID });
    writeAgents(path);
    const seen = await watched(server.url);
    await seen.page.goto(await server.address(`/s/${ID}`));
    await seen.page.waitForSelector('.entry.answer', { timeout: 20_000 });
    await clickThrough(seen);
    await seen.page.locator('.entry .details').first().click({ force: true });
    await seen.page.waitForSelector('.panel .stored');
    await seen.page.locator('.search input[type=search]').last().fill('alert');
    await seen.page.keyboard.press('Enter');
    await seen.page.waitForSelector('.search .hits a');
    expect(await seen.executed()).toBe(0);
    await seen.page.goto(`${server.url}/#/s/${ID}/a/a1`);
    await seen.page.waitForTimeout(500);
    expect(await seen.executed()).toBe(0);
    expect(seen.outside).toEqual([]);
  }, 120_000);

  test('run nowhere in an exported file', async () => {
    const server = await explorerServer();
    const { path } = server.session(hostileEntries(corpus), { sessionId: ID });
    writeAgents(path);
    const file = join(tempDir(), 'session.html');
    const args = ['sessions', 'export', '--html', '--all-branches', '--home', server.home, ID, '--output', file];
    execFileSync(process.execPath, [join(ROOT, 'dist/heddle.cjs'), ...args], { stdio: 'pipe', timeout: 60_000 });
    expect(readFileSync(file, 'utf8').match(/<script>/g)).toHaveLength(1);
    const seen = await watched(`file://${file}`);
    await seen.page.goto(`file://${file}`);
    await seen.page.waitForSelector('.entry.answer', { timeout: 20_000 });
    await clickThrough(seen);
  }, 120_000);
});

function writeAgents(path: string): void {
  const folder = join(path.replace(/\.jsonl$/, ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'agent-a1.jsonl'),
    corpus
      .map(
        (text, at) =>
          `${JSON.stringify({ type: 'user', uuid: `s${at}`, parentUuid: null, message: { role: 'user', content: text } })}\n`,
      )
      .join(''),
  );
  writeFileSync(
    join(folder, 'agent-a1.meta.json'),
    JSON.stringify({ toolUseId: 'c1', agentType: corpus[0], description: corpus[1] }),
  );
}
