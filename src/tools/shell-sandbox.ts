import type { ProcessOutcome, ProcessSpec } from '../util/process.ts';

/** What confines the commands of a session, as the Bash tool sees it. */
export interface ShellSandbox {
  /**
   * Whether this call runs inside. A command that is excluded by the settings runs outside, and so does one that asks
   * for it, where that may be asked (ruling K43). Throws a ToolError where it may not.
   */
  confines(call: SandboxCall): boolean;
  /** Runs a process inside: `run` starts what it is handed. Rejects with a ToolError when the sandbox cannot be made. */
  inside(spec: ProcessSpec, run: (confined: ProcessSpec) => Promise<ProcessOutcome>): Promise<ProcessOutcome>;
  /** The environment of a command that runs outside: no program is found where commands inside may put one. */
  outside(env: ProcessSpec['env']): ProcessSpec['env'];
  /** The environment of a command of the user's settings, such as a hook: what commands inside may put somewhere comes last. */
  beside(env: ProcessSpec['env']): ProcessSpec['env'];
  /** What to tell the model when a command that ran inside seems to have met the walls; empty when it has not. */
  explain(command: string, stderr: string): string;
}

export interface SandboxCall {
  command: string;
  dangerouslyDisableSandbox?: boolean;
}
