import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { filesBelow } from '../support/source-tree.ts';

/** Scripts of the built command line. The library is read by Node itself, as UTF-8. */
const OF_THE_CLI = /^dist\/(cli\/.*\.c?js|[^/]+\.cjs)$/;

/** The start of the command line (src/cli/start.ts) takes one byte for one character: reading is faster that way. */
test('everything in dist that is read as latin1 is ASCII', () => {
  const scripts = filesBelow('dist').filter((path) => OF_THE_CLI.test(path));
  expect(scripts, 'run `npm run build` first').not.toEqual([]);
  const odd = scripts.flatMap((path) => {
    const at = readFileSync(join(ROOT, path)).findIndex((byte) => byte > 0x7f);
    return at < 0 ? [] : [`${path} has a byte above 127 at ${at}: write the character as \\u in the source`];
  });
  expect(odd).toEqual([]);
});
