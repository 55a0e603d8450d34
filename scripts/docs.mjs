#!/usr/bin/env node
// `npm run docs`: writes the pages of docs/ that are made from the sources, and the picture of the rooms. With --check it
// only says which are stale.
import fs from 'node:fs';
import path from 'node:path';
import { cliReference } from './lib/cli-reference.mjs';
import { roomsPicture } from './lib/rooms-picture.mjs';
import { root } from './lib/tree.mjs';
import { wireReference } from './lib/wire-reference.mjs';

const pages = {
  'docs/reference/cli.md': await cliReference(),
  'docs/reference/wire.md': await wireReference(),
  'docs/pictures/rooms.svg': await roomsPicture(),
};

if (process.argv.includes('--check')) check();
else write();

function write() {
  for (const [page, text] of Object.entries(pages)) fs.writeFileSync(path.join(root, page), text);
  console.log(`wrote ${Object.keys(pages).join(', ')}`);
}

function check() {
  const stale = Object.entries(pages).filter(([page, text]) => {
    const file = path.join(root, page);
    return !fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text;
  });
  if (stale.length === 0) return console.log('The generated pages are up to date.');
  console.error(`${stale.map(([page]) => page).join(', ')}: not what the sources say. Run \`npm run docs\`.`);
  process.exitCode = 1;
}
