import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

/** The start file of the command line (src/cli/start.ts) takes one byte for one character. */
describe('the scripts of the built command line', () => {
  test('are ASCII: anything else would be read as other characters', () => {
    const scripts = readdirSync(join(ROOT, 'dist/bundles'));
    expect(scripts).toContain('print.cjs');
    const odd = scripts.filter((name) => readFileSync(join(ROOT, 'dist/bundles', name)).some((byte) => byte > 0x7f));
    expect(odd).toEqual([]);
  });
});
