// Imports TypeScript sources into a script: they are bundled first, because Node 20 cannot import them.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tree.mjs';

/**
 * The module that `contents` is: imports and exports with paths from the root, such as './src/wire/index.ts'. Packages
 * are not bundled, so it must lie where Node finds them.
 */
export async function loadSources(contents) {
  const dir = await mkdtemp(join(root, 'node_modules/.heddle-sources-'));
  try {
    const outfile = join(dir, 'sources.mjs');
    const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'warning' };
    await build({ ...options, outfile, stdin: { contents, resolveDir: root } });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(dir, { recursive: true });
  }
}
