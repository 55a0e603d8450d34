import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

test('docs/reference/cli.md and docs/reference/wire.md are up to date (`npm run docs` writes them)', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], { cwd: ROOT });
  expect({ status, said: `${stdout}${stderr}`.trim() }).toEqual({
    status: 0,
    said: 'The generated pages are up to date.',
  });
}, 60_000);
