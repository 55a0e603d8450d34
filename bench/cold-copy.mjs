// A copy of the built command line that cannot store compiled code: as after the first start of a read-only installation.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const PARTS = ['package.json', 'dist/heddle.cjs', 'dist/bundles', 'dist/vendor'];

/** Returns the path of its first file. `home`: the home of the runs. Files stand where folders would have to be. */
export function makeColdCopy(home) {
  const copy = path.join(home, 'cold-copy');
  for (const part of PARTS) fs.cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  fs.writeFileSync(path.join(copy, 'dist/code-cache'), '');
  fs.writeFileSync(path.join(home, '.cache'), '');
  return path.join(copy, 'dist/heddle.cjs');
}
