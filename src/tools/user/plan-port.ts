import type { PermissionMode } from '../../wire/permission-modes.ts';
import { definePort } from '../port.ts';

/** Plan mode, and the plan that the user approves. */
export interface PlanPort {
  readonly mode: ModeSwitch;
  /** The path of the session's plan, or null when the session has no place for files. */
  planFile(): string | null;
  /** The host's instructions for plan mode; absent: Heddle's own. */
  readonly planInstructions?: string | undefined;
}

export const planPort = definePort<PlanPort>('plan');

/** The permission mode, as far as tools may change it. */
export interface ModeSwitch {
  current(): PermissionMode;
  /** The mode in force before plan mode was entered; `default` when the session began in it. */
  beforePlan(): PermissionMode;
  /** Changes the mode and notifies the host. */
  set(mode: PermissionMode): Promise<void>;
}
