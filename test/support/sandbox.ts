import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import type { SessionSandbox } from '../../src/host/permissions/session-sandbox.ts';
import { startSandbox } from '../../src/host/permissions/start-sandbox.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { nodeRealPath } from '../../src/permissions/real-path.ts';
import { createBashTool } from '../../src/tools/shell/bash.ts';
import { shellPort } from '../../src/tools/shell/shell-port.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { SandboxSettings } from '../../src/wire/sandbox-settings.ts';
import { policyFor } from '../permissions/policy-for.ts';
import { type Bench, createBench } from '../tools/bench.ts';
import { withService } from './tool-services.ts';

/**
 * For tests that need a real sandbox. Where bubblewrap cannot work they are skipped, and say what is missing:
 * `apt-get install bubblewrap socat`, and user namespaces.
 */
export const describeSandboxed = describe.skipIf(!works('bwrap') || !works('socat')) as typeof describe;

function works(program: 'bwrap' | 'socat'): boolean {
  const args = program === 'bwrap' ? ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'] : ['-V'];
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Not below /tmp, which a sandbox replaces as a whole. */
export const OUTSIDE_TMP = writable('/var/tmp') ?? join(process.env.HOME ?? '/', '..');

/** A file that every program here can make, unless it is confined. */
export function outsideFile(): string {
  const path = join(OUTSIDE_TMP, `heddle-outside-${randomUUID()}`);
  onTestFinished(() => rmSync(path, { force: true }));
  return path;
}

function writable(path: string): string | null {
  try {
    accessSync(path, constants.W_OK);
    return path;
  } catch {
    return null;
  }
}

export interface SandboxRig {
  bench: Bench;
  sandbox: SessionSandbox;
  logs: string[];
  /** What the model reads of a command, also when it fails. */
  sh(command: string, input?: JsonObject): Promise<string>;
  dispose(): Promise<void>;
}

const bash = createBashTool({ isReadOnly: () => false });

/** A directory with a sandbox as these settings make it. */
export async function sandboxRig(
  settings: SandboxSettings = {},
  { policy = {}, env = {}, bench = createBench(OUTSIDE_TMP), ownProgram = [] }: RigOptions = {},
): Promise<SandboxRig> {
  const logs: string[] = [];
  const log = (_level: string, message: string) => logs.push(message);
  const runtime = { ...bench.context.runtime, log };
  const engine = {
    runtime,
    processes: bench.processes,
    platform: 'linux' as const,
    ownProgram: ownProgramAt(ownProgram),
  };
  const sandbox = await startSandbox({ enabled: true, ...settings } as JsonObject, {
    engine,
    workspace: bench.context.workspace,
    policy: () => policyFor({ cwd: bench.dir, realPath: nodeRealPath, ...policy }),
    env: { PATH: process.env.PATH, HOME: join(bench.dir, '..', 'home'), ...env },
    configHome: join(bench.dir, '..', 'home', '.heddle'),
  });
  const service = withService(bench.context.service, shellPort, { sandbox: sandbox.shell });
  return {
    bench,
    sandbox,
    logs,
    async sh(command, input = {}) {
      const run = bench.run(bash, { command, ...input }, { service });
      return run.then(
        ({ content }) => String(content),
        (error: Error) => error.message,
      );
    },
    async dispose() {
      await sandbox.close();
      await bench.dispose();
    },
  };
}

const ownProgramAt = (paths: readonly string[]) => ({ load: async () => {}, paths: () => paths });

interface RigOptions {
  policy?: Partial<Policy>;
  env?: Record<string, string>;
  bench?: Bench;
  /** Where the program is said to lie. */
  ownProgram?: readonly string[];
}
