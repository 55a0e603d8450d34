#!/usr/bin/env node
// `npm run site`: the pages of docs/ as a static site with a search that needs no server, made by VitePress.
//
//   node scripts/site.mjs                    writes ./site
//   node scripts/site.mjs --out /tmp/site    writes there
//   node scripts/site.mjs --base /heddle/    for a server that shows it in a folder
//
// VitePress is installed into a temporary folder, or into HEDDLE_SITE_CACHE, where it stays: nobody who builds or tests
// Heddle needs it. Without a registry there is no site: that is said aloud, and is no failure.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './lib/site.mjs';
import { root } from './lib/tree.mjs';

const { values: flags } = parseArgs({
  options: { out: { type: 'string', default: path.join(root, 'site') }, base: { type: 'string', default: '/' } },
});
if (!/^\/([^/]+\/)*$/.test(flags.base)) {
  console.error(`site: --base is a path that begins and ends with a slash, such as /heddle/, not ${flags.base}`);
  process.exit(2);
}
const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-site-')));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));

const installed = process.env.HEDDLE_SITE_CACHE || path.join(temporary, 'packages');
const { skipped, problem, pages } = await buildSite({
  installed,
  temporary,
  out: path.resolve(flags.out),
  base: flags.base,
});
if (skipped) console.log(`site: SKIPPED, the registry did not answer\n${skipped.replace(/^/gm, '    ')}`);
else if (problem) {
  console.error(`site: VitePress did not build it\n${problem.replace(/^/gm, '    ')}`);
  process.exitCode = 1;
} else {
  console.log(`wrote ${pages} pages to ${path.resolve(flags.out)}: any server of static files shows them`);
}
