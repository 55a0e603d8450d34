// `heddle web` with a long session in a real browser: what a person waits for, what page and server hold, what the page
// weighs. Without a Chromium only the server and the files are measured.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CHROMIUM = '/usr/bin/chromium';
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --disable-dev-shm-usage';
const PATIENCE_MS = 60_000;

const [sessionId, command, ...words] = process.argv.slice(2);
const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), '../dist/web');
const gzipped = ['page.html', 'page.js', 'page.css'].map(
  (name) => gzipSync(fs.readFileSync(path.join(dist, name))).length,
);

/** The whole tree past the eye, in two hundred frames; the longest of them. */
const SCROLL = `new Promise((resolve) => {
  const tree = document.querySelector('.tree');
  let [step, before, longest] = [0, performance.now(), 0];
  const next = (now) => {
    if (step > 1) longest = Math.max(longest, now - before);
    before = now;
    if (step++ > 200) return resolve(longest);
    tree.scrollTop = (tree.scrollHeight * step) / 200;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

const rounds = [];
for (let round = 0; round < ROUNDS; round++) rounds.push(await measured());
const median = (name) => {
  const values = rounds.map((each) => each[name]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)];
};
const figures = ['endMs', 'treeMs', 'heapMb', 'serverMb', 'longestFrameMs'].filter(
  (name) => rounds[0][name] !== undefined,
);
console.log(
  JSON.stringify({
    pageKb: gzipped.reduce((sum, bytes) => sum + bytes, 0) / 1024,
    ...Object.fromEntries(figures.map((name) => [name, median(name)])),
  }),
);

/** A server that has read nothing yet, and one page. */
async function measured() {
  const server = spawn(command, [...words, 'web', '--no-open', '--read-only', '--port', '0', sessionId]);
  const closed = new Promise((resolve) => server.on('close', resolve));
  try {
    const address = await addressOf(server);
    const seen = fs.existsSync(CHROMIUM) ? await inBrowser(address) : {};
    return { ...seen, serverMb: residentMb(server.pid) };
  } finally {
    server.kill('SIGINT');
    await closed;
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (data) => {
      text += data;
      const [, address] = /heddle web: (\S+)\n/.exec(text) ?? [];
      if (address) resolve(address);
    };
    server.stdout.on('data', take);
    server.stderr.on('data', take);
    server.on('close', () => reject(new Error(`heddle web ended: ${text}`)));
  });
}

async function inBrowser(address) {
  const { chromium } = createRequire(import.meta.url)('playwright-core');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') });
  try {
    const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    // In the page itself, so that asking costs nothing.
    await page.addInitScript(`(() => {
      const noted = (window.noted = {});
      const look = () => {
        if (!noted.endMs && document.querySelector('.conversation .entry')) noted.endMs = performance.now();
        if (!noted.treeMs && document.querySelector('.tree .line')) noted.treeMs = performance.now();
        if (!noted.endMs || !noted.treeMs) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`);
    await page.goto(address);
    await until(page, 'window.noted.endMs && window.noted.treeMs');
    const longestFrameMs = await page.evaluate(SCROLL);
    const session = await page.context().newCDPSession(page); // for a heap without garbage
    await session.send('HeapProfiler.collectGarbage');
    const heap = await page.evaluate('performance.memory.usedJSHeapSize');
    return { ...(await page.evaluate('window.noted')), heapMb: heap / 2 ** 20, longestFrameMs };
  } finally {
    await browser.close();
  }
}

async function until(page, expression) {
  for (
    const end = Date.now() + PATIENCE_MS;
    !(await page.evaluate(`Boolean(${expression})`));
    await page.waitForTimeout(20)
  ) {
    if (Date.now() > end) throw new Error(`Not within a minute: ${expression}`);
  }
}

function residentMb(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
