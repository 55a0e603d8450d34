import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FakeApi, type FakeApiRequest, type Script, startFakeApi } from '../../src/testing/index.ts';

/** Where one test lives: a home and a working directory of its own, and the environment of an agent that uses them. */
export interface Place {
  root: string;
  /** The config home, not yet created. */
  home: string;
  cwd: string;
  /** All that the agent gets to see: nothing of the developer's shell. */
  env: Record<string, string>;
  api: FakeApi;
}

/** A place with a model API that answers by the script. Everything goes when the running test is over. */
export async function makePlace(script: Script<FakeApiRequest> = []): Promise<Place> {
  const api = await startFakeApi(script);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-e2e-')));
  onTestFinished(async () => {
    await api.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  });
  const home = join(root, 'home', '.heddle');
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: join(root, 'home'),
    HEDDLE_HOME: home,
    ANTHROPIC_API_KEY: 'key-of-the-test',
    ANTHROPIC_BASE_URL: api.url,
  };
  return { root, home, cwd, env, api };
}
