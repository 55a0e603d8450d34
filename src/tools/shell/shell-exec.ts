import { existsSync } from 'node:fs';
import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import { SpawnError } from '../../util/process/spawn-error.ts';
import { findProgram } from '../sandbox/programs.ts';
import type { ShellGuard, ShellSandbox } from '../shell-sandbox.ts';
import type { Workspace } from '../workspace.ts';
import { type ShellScript, shellArgs } from './shell-arguments.ts';

export interface ShellSpec extends Omit<ProcessSpec, 'command' | 'args' | 'reports'> {
  /** The command line. */
  command: string;
  script: ShellScript;
  /** The sandbox of the command; null or absent: no sandbox. */
  sandbox?: ShellSandbox | null;
  /** Holds path rules outside of a sandbox; absent: nothing does. */
  guard?: ShellGuard | undefined;
}

/**
 * Git's reading subcommands run without asking, so they must not do more: no lock is taken only to note what was read, no
 * monitor of the file system is started, no pager. Settings of the user that were passed in the same way come first.
 */
export function gitReadsOnly(env: ProcessSpec['env']): Record<string, string> {
  const count = /^\d{1,3}$/.test(env.GIT_CONFIG_COUNT ?? '') ? Number(env.GIT_CONFIG_COUNT) : 0;
  return {
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: `${count + 1}`,
    [`GIT_CONFIG_KEY_${count}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${count}`]: 'false',
  };
}

/** Runs a command line with bash. Rejects as `Workspace.exec` does. */
export async function execShell(
  workspace: Workspace,
  { command, script, sandbox, guard, ...rest }: ShellSpec,
  signal: AbortSignal,
): Promise<ProcessOutcome> {
  const spec: Omit<ProcessSpec, 'command'> = {
    ...rest,
    args: shellArgs(command, script),
    env: { ...rest.env, ...gitReadsOnly(rest.env), CLAUDECODE: '1' },
    reports: script === 'reporting',
  };
  if (sandbox) {
    const confined = { ...spec, command: existsSync('/bin/bash') ? '/bin/bash' : 'bash' };
    return sandbox.inside(confined, (wrapped) => workspace.exec(wrapped, signal));
  }
  const plain = { ...spec, command: '/bin/bash' };
  const guarded = guard ? await guard.confine(plain) : plain;
  try {
    return await workspace.exec(guarded, signal);
  } catch (error) {
    // Some systems keep bash elsewhere; only after a failed start is it looked up, so that the others need not search.
    if (!(error instanceof SpawnError && error.code === 'ENOENT')) throw error;
    const bash = findProgram('bash', spec.env.PATH, workspace.roots);
    if (bash === null || guarded !== plain) throw error;
    return workspace.exec({ ...spec, command: bash }, signal);
  }
}
