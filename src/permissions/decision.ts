import type { PermissionUpdate } from '../wire/permissions.ts';
import type { Rule } from './rules.ts';

/** The layer that decided, so that the user can see why. */
export type Layer =
  | 'deny-rule'
  | 'ask-rule'
  | 'protected-path'
  | 'mode'
  | 'allow-rule'
  | 'sandbox'
  | 'outside-roots'
  | 'hook'
  | 'default';

export type Decision =
  | { behavior: 'allow'; layer: Layer; rule?: Rule }
  | { behavior: 'deny'; layer: Layer; reason: string; rule?: Rule }
  | AskDecision;

export interface AskDecision {
  behavior: 'ask';
  layer: Layer;
  reason: string;
  rule?: Rule;
  /** The path that a shell command would touch. */
  blockedPath?: string;
  /** Empty when no update would help. */
  suggestions: PermissionUpdate[];
}
