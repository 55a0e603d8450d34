// The reference SDK against our command line, as a step of `npm run test:rest`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installReference } from './reference.mjs';
import { runSteps } from './steps.mjs';

const STEP = { name: 'the reference SDK drives us (interop)', command: ['scripts/interop.mjs', '--quiet'] };

/**
 * Begins to get the packages, which takes a while and hardly any of this machine. The function that is returned waits
 * for them and runs the step; without a registry there is none, which is said aloud and is no failure.
 */
export function prepareInterop() {
  const folder = process.env.HEDDLE_INTEROP_CACHE || fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-reference-'));
  if (!process.env.HEDDLE_INTEROP_CACHE) process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const installing = installReference(folder);
  return async () => {
    const problem = await installing;
    if (problem !== null) {
      console.log(`\ninterop: SKIPPED, the registry did not answer\n${problem.replace(/^/gm, '    ')}`);
      return [];
    }
    process.env.HEDDLE_INTEROP_CACHE = folder;
    return runSteps([STEP]);
  };
}
