import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Heddle from '../../src/sdk/index.ts';
import type { Options, Query, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { type FakeApi, startFakeApi } from '../../src/testing/index.ts';
import { isResult, type Line } from '../support/lines.ts';
import type { InteropCase, ReferenceVersion } from './case.ts';

/** The reference SDK with the types of ours: that they fit is what samples/ shows. */
export type ReferenceSdk = Pick<
  typeof Heddle,
  | 'query'
  | 'tool'
  | 'createSdkMcpServer'
  | 'unstable_v2_createSession'
  | 'unstable_v2_prompt'
  | 'unstable_v2_resumeSession'
  | 'listSessions'
  | 'getSessionInfo'
  | 'getSessionMessages'
  | 'renameSession'
  | 'tagSession'
  | 'forkSession'
  | 'deleteSession'
  | 'archiveSession'
  | 'unarchiveSession'
  | 'importSessionToStore'
  | 'foldSessionSummary'
  | 'startup'
  | 'SYSTEM_PROMPT_DYNAMIC_BOUNDARY'
> & {
  AbortError: typeof Error;
};

/** What all cases of a run share. */
export interface Reference {
  version: ReferenceVersion;
  sdk: ReferenceSdk;
  zod: typeof import('zod');
  /** Imports a package from the folder that the SDK was installed into. */
  load<Module>(specifier: string): Promise<Module>;
  /** Our command line; the other way round that of the reference. */
  cli: string;
  /** Our command line, whatever is driven. */
  ours: string;
}

type Prompt = string | AsyncIterable<SDKUserMessage>;

/** What a case has to do with: the SDK, a fake model API, and a home and a working directory of its own. */
export interface Rig extends Reference {
  api: FakeApi;
  /** The config home, not yet created. */
  home: string;
  cwd: string;
  /** All that the agent gets to see. */
  env: Record<string, string>;
  options(more?: Options): Options;
  /** Starts a run; it is closed when the case is over. */
  start(prompt: Prompt, more?: Options): Query;
  /** Runs to the end and returns the messages. */
  ask(prompt: Prompt, more?: Options): Promise<Line[]>;
  /** The result of a run to the end. */
  resultOf(prompt: Prompt, more?: Options): Promise<Line>;
}

/** Runs a case in a place of its own, which is gone afterwards. */
export async function runCase({ script = [], run }: InteropCase, reference: Reference): Promise<void> {
  const api = await startFakeApi(script);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-interop-')));
  const open: Query[] = [];
  try {
    await run(makeRig({ reference, api, root, open }));
  } finally {
    for (const each of open) await each.close();
    await api.close();
    process.chdir(tmpdir());
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function makeRig({
  reference,
  api,
  root,
  open,
}: {
  reference: Reference;
  api: FakeApi;
  root: string;
  open: Query[];
}): Rig {
  const cwd = join(root, 'work');
  const home = join(root, 'home', '.heddle');
  mkdirSync(cwd);
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: join(root, 'home'),
    HEDDLE_HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_API_KEY: 'key-of-the-test',
    ANTHROPIC_BASE_URL: api.url,
  };
  // Parts of the SDK take these from the process, which runs one case at a time.
  process.env.CLAUDE_CONFIG_DIR = home;
  process.chdir(cwd);

  const options = (more: Options = {}): Options => ({ cwd, env, pathToClaudeCodeExecutable: reference.cli, ...more });
  const start = (prompt: Prompt, more?: Options): Query => {
    const run = reference.sdk.query({ prompt, options: options(more) });
    open.push(run);
    return run;
  };
  const ask = async (prompt: Prompt, more?: Options) => collect(start(prompt, more));
  const resultOf = async (prompt: Prompt, more?: Options) => {
    const results = (await ask(prompt, more)).filter(isResult);
    if (results.length !== 1 || !results[0]) throw new Error(`There were ${results.length} results`);
    return results[0];
  };
  return { ...reference, api, home, cwd, env, options, start, ask, resultOf };
}

/**
 * All messages of a run. The SDK throws when the process ended with an error; after an error result that is no news, so
 * it counts only when there was no result.
 */
async function collect(run: AsyncIterable<SDKMessage>): Promise<Line[]> {
  const seen: Line[] = [];
  try {
    for await (const message of run) seen.push(message as unknown as Line);
  } catch (error) {
    if (!seen.some((line) => isResult(line) && line.is_error === true)) throw error;
  }
  return seen;
}
