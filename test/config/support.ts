import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '../support/after-test.ts';

export { put } from '../support/put.ts';

export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-config-')));
  afterTest(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
