import type { Policy } from '../permissions/policy.ts';
import type { SandboxPolicy } from '../permissions/sandbox-policy.ts';
import type { ShellSandbox } from '../tools/shell-sandbox.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { JsonObject } from '../util/json.ts';
import type { SystemInitMessage } from '../wire/messages/init.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';

/** What confines the commands of a session, if anything does. */
export interface SessionSandbox {
  /** For the Bash tool; null: nothing confines commands. */
  readonly shell: ShellSandbox | null;
  readonly policy: SandboxPolicy | null;
  /** What is in force now, for `init.sandbox` (ruling K43). */
  facts(): SandboxFacts;
  /** What the model should know; null when there is nothing to know. */
  describe(): string | null;
  close(): Promise<void>;
}

export type SandboxFacts = NonNullable<SystemInitMessage['sandbox']>;

export interface SandboxSeams {
  engine: Engine;
  workspace: Workspace;
  policy: () => Policy;
  env: Env;
  configHome: string | null;
}

export const NO_SANDBOX: SessionSandbox = {
  shell: null,
  policy: null,
  facts: () => ({ enabled: false }),
  describe: () => null,
  close: async () => {},
};

/**
 * The sandbox of a session, as the `sandbox` setting says. Most sessions have none, and load nothing of it. Rejects with
 * `invalid_settings`, and with `sandbox_unavailable` where one is asked for that cannot be had (trust R-20).
 */
export async function openSandbox(setting: JsonObject | undefined, seams: SandboxSeams): Promise<SessionSandbox> {
  if (setting === undefined) return NO_SANDBOX;
  const { startSandbox } = await import('./start-sandbox.ts');
  return startSandbox(setting, seams);
}
