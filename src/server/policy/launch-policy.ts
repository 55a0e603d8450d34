import type { PermissionMode } from '../../wire/permissions.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/** What the operator lets clients decide, and what holds for every session. */
export interface LaunchPolicy {
  /** The real paths below which sessions may work. The first one is the default. */
  roots: readonly string[];
  /** The modes that a client may choose. */
  modes: readonly PermissionMode[];
  /** Fields of a run that a client may set although the filter keeps them from the network. */
  allow: readonly (keyof RunConfig)[];
  /** The configuration of every session; fields of the client win over it. */
  defaults: RunConfig;
  /** Control requests, and fields of `initialize`, that clients may send although the filter keeps them from the network. */
  controls?: readonly string[];
}

/** Without bypassPermissions, which lets a session do everything. */
export const USUAL_MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto'];
