// Vitest as a process of its own, with its report in a file.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

/** Where the JSON report of a run goes: `test-results/NAME.json`. */
export function reportFileOf(name) {
  return path.join(root, `test-results/${name}.json`);
}

/** Runs vitest in this terminal. Resolves with its exit code; the report of an earlier run is removed first. */
export function runVitest({ args, reportFile }) {
  fs.rmSync(reportFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args, ...reporters], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
