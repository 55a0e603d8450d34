#!/usr/bin/env node
// `npm run pictures`: plays the scenes of the terminal, and draws each as docs/pictures/terminal-….svg.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playScenes } from './lib/terminal-scenes.mjs';
import { drawTerminal } from './lib/terminal-svg.mjs';
import { root } from './lib/tree.mjs';

mkdirSync(join(root, 'docs/pictures'), { recursive: true });
for (const { name, title, columns, rows } of await playScenes()) {
  const picture = drawTerminal(
    rows.map((text) => ({ text, at: 0 })),
    { title, columns },
  );
  writeFileSync(join(root, `docs/pictures/${name}.svg`), picture);
  console.log(`wrote docs/pictures/${name}.svg: ${rows.length} lines`);
}
