#!/usr/bin/env node
// Takes the pictures of docs/explorer.md: `heddle web` over a made-up session, in Chromium. Needs a build.
//
//   node scripts/draw-explorer.mjs            docs/pictures/explorer.png, explorer-details.png, explorer-narrow.png
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { writeDemoSession } from './lib/demo-session.mjs';
import { root } from './lib/tree.mjs';

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
  '--disable-component-update --disable-sync --disable-dev-shm-usage';
const pictures = path.join(root, 'docs/pictures');
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-pictures-'));
const sessionId = writeDemoSession(home);
const env = { PATH: process.env.PATH, HOME: home, HEDDLE_HOME: home };
const cli = path.join(root, 'dist/heddle.cjs');
const server = spawn(process.execPath, [cli, 'web', '--no-open', '--port', '0', sessionId], { env, cwd: home });
const closed = new Promise((resolve) => server.on('close', resolve));
try {
  const address = await new Promise((resolve, reject) => {
    let text = '';
    const take = (data) => {
      text += data;
      const [, found] = /heddle web: (\S+)\n/.exec(text) ?? [];
      if (found) resolve(found);
    };
    server.stdout.on('data', take);
    server.stderr.on('data', take);
    server.on('close', () => reject(new Error(`heddle web ended: ${text}`)));
  });
  const { chromium } = createRequire(import.meta.url)('playwright-core');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS.split(' ') });
  try {
    await draw(await browser.newPage({ viewport: { width: 1280, height: 760 } }), address);
  } finally {
    await browser.close();
  }
} finally {
  server.kill('SIGINT');
  await closed;
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

async function draw(page, address) {
  // A few colours are enough, and a third of the bytes: the pictures are in the package.
  const shoot = async (name) =>
    sharp(await page.screenshot())
      .png({ palette: true, colours: 16, dither: 0, effort: 10 })
      .toFile(path.join(pictures, `${name}.png`));
  await page.goto(address);
  await page.locator('.entry.answer').first().waitFor();
  await page.locator('.line.branch .fold').click();
  await page.waitForTimeout(700);
  await shoot('explorer');
  await page.getByText('timeline').click();
  await page.locator('.entry.prompt .details').first().click();
  await page.locator('.panel .diff').first().waitFor();
  await page.waitForTimeout(300);
  await shoot('explorer-details');
  await page.locator('[aria-label="close the details"]').click();
  await page.setViewportSize({ width: 420, height: 760 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(500);
  await shoot('explorer-narrow');
}
