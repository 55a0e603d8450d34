import { afterEach } from 'vitest';
import { cleanUp } from './after-test.ts';
import { ISOLATED_HOME, leakedVariables } from './environment.ts';

/** Runs in the worker before every test file: no test starts with the real home or with a real credential. */
const home = process.env[ISOLATED_HOME];
if (home === undefined || process.env.HOME !== home || !process.env.HEDDLE_HOME?.startsWith(home)) {
  throw new Error('This test would see the real home: run it through vitest.config.ts.');
}
const leaked = leakedVariables(process.env);
if (leaked.length > 0) throw new Error(`Variables of the outer environment reached a test: ${leaked.join(', ')}`);

afterEach(cleanUp);
