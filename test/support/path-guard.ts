import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import {
  type Enforcement,
  openPathGuard,
  type SessionPathGuard,
} from '../../src/host/permissions/session-path-guard.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { nodeRealPath } from '../../src/permissions/real-path.ts';
import { execShell } from '../../src/tools/shell/shell-exec.ts';
import { policyFor, rules } from '../permissions/policy-for.ts';
import { type Bench, createBench } from '../tools/bench.ts';
import { OUTSIDE_TMP } from './sandbox.ts';

const isRoot = process.geteuid?.() === 0;

/**
 * For tests in which the kernel has to hold path rules. Where bubblewrap cannot work they are skipped, and say so:
 * `apt-get install bubblewrap`, and user namespaces.
 */
export const describeGuarded = describe.skipIf(!works()) as typeof describe;

function works(): boolean {
  const args = [...(isRoot ? [] : ['--unshare-user']), '--dev-bind', '/', '/', 'true'];
  return spawnSync('bwrap', args, { stdio: 'ignore' }).status === 0;
}

export interface GuardRig {
  bench: Bench;
  guard: SessionPathGuard;
  /** Everything that a command prints. No rule is judged before: only the kernel stands in its way. */
  sh(command: string): Promise<string>;
  path(name: string): string;
  /** A new file with a text that is nowhere else; returns the text. */
  secret(name: string): string;
  read(name: string): string;
  /** The rules from now on. */
  deny(...texts: string[]): void;
  dispose(): Promise<void>;
}

export interface GuardOptions {
  enforcement?: Enforcement;
  policy?: Partial<Policy>;
  env?: Record<string, string>;
  ownProgram?: readonly string[];
  bench?: Bench;
}

/** A directory whose commands run as those of a session with these deny rules, without any decision about them. */
export async function guardRig(deny: readonly string[], options: GuardOptions = {}): Promise<GuardRig> {
  const { enforcement = 'auto', policy = {}, env = {}, ownProgram = [], bench = createBench(OUTSIDE_TMP) } = options;
  let inForce = deny;
  const current = (): Policy =>
    policyFor({
      cwd: bench.dir,
      realPath: nodeRealPath,
      home: join(bench.dir, '../home'),
      deny: rules(...inForce),
      ...policy,
    });
  const environment = { PATH: process.env.PATH, HOME: join(bench.dir, '../home'), ...env };
  const engine = {
    processes: bench.processes,
    platform: 'linux' as const,
    ownProgram: { load: async () => {}, paths: () => ownProgram, isOtherName: () => false },
  };
  const guard = await openPathGuard(enforcement, {
    engine,
    workspace: bench.context.workspace,
    policy: current,
    env: environment,
    configHome: join(bench.dir, '../home/.heddle'),
  });
  const shell = guard.forThread(current);
  const path = (name: string) => join(bench.dir, name);
  return {
    bench,
    guard,
    path,
    async sh(command) {
      let output = '';
      const onOutput = (_stream: string, data: Buffer) => {
        output += data.toString();
      };
      const spec = { command, script: 'marked' as const, cwd: bench.dir, env: environment, guard: shell, onOutput };
      await execShell(bench.context.workspace, { ...spec, timeoutMs: 20_000 }, new AbortController().signal);
      return output;
    },
    secret(name) {
      const text = `canary-${randomUUID()}`;
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), `${text}\n`);
      return text;
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    deny(...texts) {
      inForce = texts;
    },
    async dispose() {
      await guard.close();
      await bench.dispose();
    },
  };
}
