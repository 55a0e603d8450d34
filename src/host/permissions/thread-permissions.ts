import type { Settings } from '../../config/settings/settings.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { Rule } from '../../permissions/rules.ts';
import type { ShellDirectory } from '../../tools/shell/shell-directory.ts';
import type { PermissionMode, PermissionUpdate } from '../../wire/permissions.ts';
import type { SessionSandbox } from './session-sandbox.ts';

/** The policy of one thread: made from the launch, changed by permission updates and mode requests. */
export interface Permissions {
  /** The rules and the mode. */
  readonly policy: Policy;
  /** The policy for the next call: the rules, the mode and the additions of the sources. Read again for every call. */
  inForce(): Policy;
  /** Adds a source to the policy in force of this thread; with `session`, also of its agents. */
  addSource(source: PolicySource, reach?: 'thread' | 'session'): void;
  /** The permissions of an agent: a live view of these, narrowed. */
  forAgent(narrowing: Narrowing): Permissions;
  /** Throws `invalid_option` when the mode was not permitted at launch. */
  setMode(mode: PermissionMode): void;
  /**
   * Rejects with `invalid_option` or `invalid_settings` when an update cannot be applied or saved: then none applies.
   * Rejects with `storage_failed` when a file could not be written: then only the updates apply that were written
   * before.
   */
  apply(updates: readonly PermissionUpdate[]): Promise<void>;
  /** Adds deny rules that no update lifts. */
  forbid(rules: readonly Rule[]): void;
  /** The mode that the thread returns to when it leaves plan mode. */
  readonly beforePlan: PermissionMode;
  /** Replaces the rules of settings. Throws when one of them is invalid; then the old rules stay. */
  useSettings(settings: Settings): void;
  /** `mode`: an update has changed the mode. `rules`: the rules have changed. `roots`: the directories have changed. */
  on(event: PermissionEvent, listener: () => void): void;
}

export type PermissionEvent = 'mode' | 'rules' | 'roots';

/** Adds something to a policy before it decides about a call. */
export type PolicySource = (policy: Policy) => Policy;

export interface Narrowing {
  modes: readonly PermissionMode[];
  deny: readonly Rule[];
  /** The policy in the worktree of the agent, if it has one. */
  moved?: ((policy: Policy) => Policy) | undefined;
}

/** The policy with the additions of these sources, in their order. */
export function addedTo(policy: Policy, sources: readonly PolicySource[]): Policy {
  return sources.reduce((before, add) => add(before), policy);
}

export interface ThreadPolicy {
  /** The directory of the next command. */
  shell: Pick<ShellDirectory, 'current'>;
  sandbox: Pick<SessionSandbox, 'policy'>;
  /** The rules that the running command or skills allow. */
  scope: { readonly grants: readonly Rule[] };
  /** The notes of the agent; null: it keeps none. */
  identity: { readonly notes: { judge: NonNullable<Policy['notes']> } | null };
}

/** The additions of a thread to the rules: its directory, and what its running turn may do. */
export function threadPolicy({ shell, sandbox, scope, identity }: ThreadPolicy): PolicySource {
  return (policy) => {
    const shellCwd = shell.current();
    const allow = scope.grants.length > 0 ? [...policy.allow, ...scope.grants] : policy.allow;
    const { notes } = identity;
    const more = { ...(sandbox.policy && { sandbox: sandbox.policy }), ...(notes && { notes: notes.judge }) };
    return { ...policy, allow, shellCwd, ...more };
  };
}
