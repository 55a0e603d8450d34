import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../test-results/trust-figures.ndjson');

/** What a check saw, for the table at the end of `npm run trust`: `figure('P-2', '10,000 lines, 0 deaths')`. */
export function figure(id: string, seen: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, `${JSON.stringify({ id, seen })}\n`);
}
