import { existsSync } from 'node:fs';
import { type ProcessOutcome, type ProcessSpec, SpawnError } from '../util/process.ts';
import { findProgram } from './sandbox/programs.ts';
import type { ShellSandbox } from './shell-sandbox.ts';
import { type ShellScript, shellArgs } from './shell-script.ts';
import type { Workspace } from './workspace.ts';

export interface ShellSpec extends Omit<ProcessSpec, 'command' | 'args' | 'reports'> {
  /** The command line. */
  command: string;
  script: ShellScript;
  /** What it runs in; null or absent: nothing confines it. */
  sandbox?: ShellSandbox | null;
}

/** Runs a command line with bash. Rejects as `Workspace.exec` does. */
export async function execShell(
  workspace: Workspace,
  { command, script, sandbox, ...rest }: ShellSpec,
  signal: AbortSignal,
): Promise<ProcessOutcome> {
  const spec: Omit<ProcessSpec, 'command'> = {
    ...rest,
    args: shellArgs(command, script),
    env: { ...rest.env, CLAUDECODE: '1' },
    reports: script === 'reporting',
  };
  if (sandbox) {
    const confined = { ...spec, command: existsSync('/bin/bash') ? '/bin/bash' : 'bash' };
    return sandbox.inside(confined, (wrapped) => workspace.exec(wrapped, signal));
  }
  try {
    return await workspace.exec({ ...spec, command: '/bin/bash' }, signal);
  } catch (error) {
    // Systems that keep bash elsewhere; found by trying, so that the others need not look first.
    if (!(error instanceof SpawnError && error.code === 'ENOENT')) throw error;
    const bash = findProgram('bash', spec.env.PATH, workspace.roots);
    if (bash === null) throw error;
    return workspace.exec({ ...spec, command: bash }, signal);
  }
}
