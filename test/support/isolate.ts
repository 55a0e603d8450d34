import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ISOLATED_HOME, leakedVariables } from './environment.ts';

/**
 * Runs once before all tests: gives them a home of their own and takes away what the developer's shell may hold for an
 * agent. The workers inherit this environment; `guard.ts` holds them to it.
 */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), 'heddle-test-home-'));
  mkdirSync(join(home, '.heddle'), { mode: 0o700 });
  for (const name of leakedVariables(process.env)) delete process.env[name];
  process.env.HOME = home;
  process.env.HEDDLE_HOME = join(home, '.heddle');
  process.env[ISOLATED_HOME] = home;
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove); // a run that is broken off never gets to its teardown
  return remove;
}
