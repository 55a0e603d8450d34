import type { Policy, SandboxPolicy } from '../../permissions/policy.ts';
import type { ShellSandbox } from '../../tools/shell-sandbox.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { JsonObject } from '../../util/json.ts';
import type { SystemInitMessage } from '../../wire/messages/init.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';

/** The sandbox of a session's commands, if there is one. */
export interface SessionSandbox {
  /** The sandbox for the Bash tool; null: commands are not sandboxed. */
  readonly shell: ShellSandbox | null;
  readonly policy: SandboxPolicy | null;
  /** The sandbox in force now, for `init.sandbox`. */
  info(): SandboxInfo;
  /** The description of the sandbox for the model; null when there is none. */
  describe(): string | null;
  close(): Promise<void>;
}

export type SandboxInfo = NonNullable<SystemInitMessage['sandbox']>;

/** The parts of the engine that a sandbox uses. */
export interface SandboxEngine extends Pick<Engine, 'runtime' | 'processes' | 'platform'> {
  ownProgram: Pick<Engine['ownProgram'], 'load' | 'paths'>;
}

export interface SandboxDependencies {
  engine: SandboxEngine;
  workspace: Workspace;
  policy: () => Policy;
  env: Env;
  configHome: string | null;
}

export const NO_SANDBOX: SessionSandbox = {
  shell: null,
  policy: null,
  info: () => ({ enabled: false }),
  describe: () => null,
  close: async () => {},
};

/**
 * Opens the sandbox of a session according to the `sandbox` setting. Most sessions have none, and load no code for it.
 * Rejects with `invalid_settings`, and with `sandbox_unavailable` when a required sandbox cannot be made.
 */
export async function openSandbox(
  setting: JsonObject | undefined,
  dependencies: SandboxDependencies,
): Promise<SessionSandbox> {
  if (setting === undefined) return NO_SANDBOX;
  const { startSandbox } = await import('./start-sandbox.ts');
  return startSandbox(setting, dependencies);
}
