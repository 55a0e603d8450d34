import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '../../support/after-test.ts';

/** An empty directory that goes with the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'heddle-drafts-'));
  afterTest(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
