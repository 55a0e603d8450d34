import type { ProcessOutcome, ProcessSpec } from '../util/process/process.ts';

/** The sandbox for the commands of a session, as the Bash tool sees it. */
export interface ShellSandbox {
  /**
   * True when this call runs inside. A command that the settings exclude runs outside, and so does one that asks for
   * it, where the settings allow that. Throws a ToolError where they do not.
   */
  confines(call: SandboxCall): boolean;
  /**
   * Runs a process inside: `run` starts the confined process. Rejects with a ToolError when the sandbox cannot be made.
   */
  inside(spec: ProcessSpec, run: (confined: ProcessSpec) => Promise<ProcessOutcome>): Promise<ProcessOutcome>;
  /** The environment of a command that runs outside: its PATH has no directory that confined commands can write. */
  outside(env: ProcessSpec['env']): ProcessSpec['env'];
  /**
   * The environment of a command from the user's settings, such as a hook: directories that confined commands can write
   * come last.
   */
  beside(env: ProcessSpec['env']): ProcessSpec['env'];
  /** A note for the model when a confined command seems to have met the limits of the sandbox; empty otherwise. */
  explain(command: string, stderr: string): string;
}

export interface SandboxCall {
  command: string;
  dangerouslyDisableSandbox?: boolean;
}

/** What of a process a guard changes. */
export type GuardedSpec = Pick<ProcessSpec, 'command' | 'args' | 'cwd' | 'env'>;

/** Lets the kernel hold the path rules of a session for its commands, inside of a sandbox or without one. */
export interface ShellGuard {
  /**
   * The process to start instead. The same one where no path rule is in force, or the kernel cannot hold them and the
   * settings do not demand it. Rejects with a ToolError where they do.
   */
  confine<Spec extends GuardedSpec>(spec: Spec): Promise<Spec>;
}
