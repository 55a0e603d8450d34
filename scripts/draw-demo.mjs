#!/usr/bin/env node
// `npm run pictures`: runs the demo and draws what it prints as docs/pictures/demo.svg, which the README shows.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { drawTerminal } from './lib/terminal-svg.mjs';
import { root } from './lib/tree.mjs';

/** Slower than it is, so that it can be read. */
const SLOWER = 2.5;

const started = performance.now();
const rows = [];
const child = spawn(process.execPath, [join(root, 'scripts/demo.mjs')], {
  cwd: root,
  env: colourful(process.env),
  stdio: ['ignore', 'pipe', 'inherit'],
});
for await (const text of createInterface({ input: child.stdout })) {
  rows.push({ text, at: Math.round((performance.now() - started) * SLOWER) });
}
if (child.exitCode) process.exit(child.exitCode);

const untilNext = rows.findIndex(({ text }) => text.includes('Now you'));
const shown = rows.slice(
  rows.findIndex(({ text }) => text.trim() !== ''),
  untilNext - 1,
);
const file = join(root, 'docs/pictures/demo.svg');
mkdirSync(join(root, 'docs/pictures'), { recursive: true });
writeFileSync(file, drawTerminal(shown, { title: 'npm run demo' }));
console.log(`wrote docs/pictures/demo.svg: ${shown.length} lines`);

/** Both variables at once would make Node warn. */
function colourful({ NO_COLOR: _, ...env }) {
  return { ...env, FORCE_COLOR: '1' };
}
